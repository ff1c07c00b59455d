-- How did the memory of one try go, in at most so many slices of time? Per slice lowest, mean and
-- highest usage and the highest interval peak, so that a spike is never averaged away.
WITH span AS (
    SELECT min(t_us) AS low, greatest(1, max(t_us) - min(t_us) + 1) AS width
    FROM sample
    WHERE trial = $trial AND try_no IS NOT DISTINCT FROM $try_no
)
SELECT
    max(t_us) AS t_us,
    count(*) AS samples,
    min(usage_bytes) AS usage_min_bytes,
    avg(usage_bytes) AS usage_mean_bytes,
    max(usage_bytes) AS usage_max_bytes,
    max(peak_bytes) AS peak_bytes,
    last(limit_bytes ORDER BY t_us, seq) AS limit_bytes,
    sum(cpu_usage_us)::BIGINT AS cpu_usage_us,
    sum(cpu_throttled_us)::BIGINT AS cpu_throttled_us,
    sum(psi_memory_full_us)::BIGINT AS psi_memory_full_us,
    sum(oom_kill_delta)::BIGINT AS oom_kills,
    max(pids) AS pids
FROM sample, span
WHERE trial = $trial AND try_no IS NOT DISTINCT FROM $try_no
GROUP BY ((t_us - low) * $buckets) // width
ORDER BY t_us
