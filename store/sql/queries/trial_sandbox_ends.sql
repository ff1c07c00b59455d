-- What did the final counters of a trial's sandboxes say?
SELECT
    try_no, target, t_us, read_by, reason, peak_bytes, oom_kill_total, oom_group_kill_total,
    oom_total, limit_hits_total, cpu_usage_us, cpu_periods, cpu_throttled_periods,
    cpu_throttled_us, psi_memory_some_us, psi_memory_full_us, samples
FROM sandbox_end
WHERE trial = $trial
ORDER BY try_no, t_us
