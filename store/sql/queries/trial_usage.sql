-- What did each try of a trial use between two moments that hold all of them: highest peak and when, last
-- usage, CPU, throttling, pressure? Samples lie in order of time: what is outside is skipped unread.
SELECT
    try_no,
    target,
    count(*) AS samples,
    min(t_us) AS first_t_us,
    max(t_us) AS last_t_us,
    max(peak_bytes) AS peak_bytes,
    first(t_us ORDER BY peak_bytes DESC, t_us) FILTER (WHERE peak_bytes IS NOT NULL)
        AS peak_t_us,
    max(peak_kind) AS peak_kind,
    last(usage_bytes ORDER BY t_us, seq) AS last_usage_bytes,
    last(anon_bytes ORDER BY t_us, seq) AS last_anon_bytes,
    last(limit_bytes ORDER BY t_us, seq) AS limit_bytes,
    sum(cpu_usage_us)::BIGINT AS cpu_usage_us,
    sum(cpu_throttled_us)::BIGINT AS cpu_throttled_us,
    sum(psi_memory_full_us)::BIGINT AS psi_memory_full_us
FROM sample
WHERE trial = $trial AND t_us BETWEEN $low_us AND $high_us
GROUP BY try_no, target
ORDER BY try_no, first_t_us
