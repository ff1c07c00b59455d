-- Which trials of a sweep (of all, where it is NULL) were begun, and how do they stand?
SELECT *
FROM trial
WHERE $sweep IS NULL OR sweep = $sweep
ORDER BY latest_started_t_us, trial
