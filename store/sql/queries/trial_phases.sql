-- Which phases did each try of a trial go through?
SELECT try_no, phase, started_t_us, limit_s, finished_t_us, how, duration_s, message
FROM phase
WHERE trial = $trial
ORDER BY try_no, coalesce(started_t_us, finished_t_us), phase
