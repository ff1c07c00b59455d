-- What do people say that holds now: of the trials of a sweep (NULL: of all), of hosts and spans of time?
SELECT
    kind, sweep, trial, try_no, host, from_t_us, to_t_us, cause, counts_as, author, text, t_us,
    counts
FROM words
WHERE $sweep IS NULL OR trial IS NULL OR sweep = $sweep
ORDER BY t_us, source, seq
