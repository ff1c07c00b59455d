-- Which are the newest trials of a sweep that a memory ceiling ended?
SELECT
    trial, try_no, task, agent, model, "condition", attempt, finished_t_us,
    kill_victim, kill_phase, kill_command, peak_bytes, ceiling_bytes, cause
FROM judged_try
WHERE sweep = $sweep AND outcome AND ceiling_kill
ORDER BY finished_t_us DESC, trial
LIMIT $most;
