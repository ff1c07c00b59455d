-- Which states did the sandboxes of a trial go through?
SELECT try_no, target, t_us, state, reason, message, exit_code
FROM sandbox_state
WHERE trial = $trial
ORDER BY try_no, t_us, source, seq
