-- How did each try of a trial end, in its runner's raw words?
SELECT
    try_no, t_us, how, duration_s, rewards, verifier_ran, verifier_exit, verifier_error,
    timed_out_phase, sandbox_exit, agent_exit, exceptions
FROM try_ended
WHERE trial = $trial
ORDER BY try_no
