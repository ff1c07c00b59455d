-- What people say of verdicts, trials, hosts and times, and have not taken back.
SELECT * EXCLUDE (source, seq) FROM words ORDER BY t_us
