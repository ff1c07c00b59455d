-- How did every ended try of one task in a sweep go, and what is its verdict?
SELECT * EXCLUDE (passed, row_digest)
FROM judged_try
WHERE task = $task AND sweep IS NOT DISTINCT FROM $sweep
ORDER BY started_t_us, trial, try_no
