-- How did one try go between two moments, in at most so many slices of time? Per slice lowest, mean and
-- highest usage and the highest interval peak, so that no spike is averaged away. The bounds come
-- first: samples lie in order of time, so all others are skipped unread.
SELECT
    min(t_us) AS first_t_us,
    max(t_us) AS t_us,
    count(*) AS samples,
    sum(interval_us)::BIGINT AS interval_us,
    min(usage_bytes) AS usage_min_bytes,
    avg(usage_bytes) AS usage_mean_bytes,
    max(usage_bytes) AS usage_max_bytes,
    max(peak_bytes) AS peak_bytes,
    max(peak_kind) AS peak_kind,
    min(limit_bytes) AS limit_bytes,
    sum(cpu_usage_us)::BIGINT AS cpu_usage_us,
    sum(cpu_throttled_us)::BIGINT AS cpu_throttled_us,
    sum(psi_memory_some_us)::BIGINT AS psi_memory_some_us,
    sum(psi_memory_full_us)::BIGINT AS psi_memory_full_us,
    sum(psi_cpu_some_us)::BIGINT AS psi_cpu_some_us,
    sum(psi_io_some_us)::BIGINT AS psi_io_some_us,
    sum(oom_kill_delta)::BIGINT AS oom_kills,
    max(pids) AS pids
FROM sample
WHERE t_us BETWEEN $low_us AND $high_us
    AND trial = $trial
    AND try_no IS NOT DISTINCT FROM $try_no
GROUP BY ((t_us - $low_us) * $slices) // ($high_us - $low_us + 1)
ORDER BY t_us
