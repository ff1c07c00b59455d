-- Every command that ran in a sandbox, redacted and cut as in the log.
SELECT * FROM exec_finished ORDER BY started_t_us, trial, try_no, ordinal
