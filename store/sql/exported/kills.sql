-- Every OOM kill in a sandbox, with its victim and the command that it hit.
SELECT * FROM kill ORDER BY t_us, trial, try_no, ordinal
