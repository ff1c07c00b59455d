-- Which commands ran in the sandbox of each try of a trial?
SELECT
    try_no, phase, ordinal, command, command_truncated, command_digest, started_t_us,
    duration_s, how, exit_code, signal, output_bytes, pid
FROM exec_finished
WHERE trial = $trial
ORDER BY try_no, started_t_us, ordinal, source, seq
