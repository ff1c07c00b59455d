-- How were the hosts over a window, in slices of time? Per slice and host the mean and the highest, so
-- that no peak is averaged away; pressure is the share of time in which something stalled.
WITH machines AS (
    SELECT source, any_value(host) AS host, any_value(cores) AS cores
    FROM host_info
    GROUP BY source
)
SELECT
    coalesce(m.host, s.source) AS host,
    (s.t_us - $from_us) // $bin_us AS slice,
    any_value(m.cores) AS cores,
    count(*) AS samples,
    avg(s.load1) AS load_mean,
    max(s.load1) AS load_highest,
    (sum(s.psi_memory_some_us) / nullif(sum(s.interval_us), 0))::DOUBLE AS psi_memory_mean,
    max(s.psi_memory_some_us / s.interval_us)::DOUBLE AS psi_memory_highest,
    (1 - avg(s.memory_available_bytes / s.memory_total_bytes))::DOUBLE AS memory_mean,
    (1 - min(s.memory_available_bytes / s.memory_total_bytes))::DOUBLE AS memory_highest
FROM host_sample AS s
LEFT JOIN machines AS m ON m.source = s.source
WHERE s.t_us BETWEEN $from_us AND $to_us
GROUP BY ALL
ORDER BY host, slice
