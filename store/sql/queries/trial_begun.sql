-- How did each try of a trial begin?
SELECT
    try_no, target, host, t_us AS started_t_us, seed, spec_memory_bytes, spec_cpu_cores,
    spec_from, memory_floor_multiple, memory_ceiling_multiple, task_digest
FROM try_begun
WHERE trial = $trial
ORDER BY try_no
