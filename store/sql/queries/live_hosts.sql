-- How are the hosts, by their newest sample since $since_us? Pressure is the share of the sample's
-- interval in which something stalled; the highest of the window stands beside it.
WITH machines AS (
    SELECT source, any_value(host) AS host, any_value(cores) AS cores
    FROM host_info
    GROUP BY source
)
SELECT
    coalesce(m.host, s.source) AS host,
    any_value(m.cores) AS cores,
    max(s.t_us) AS t_us,
    arg_max(s.load1, s.t_us) AS load1,
    arg_max(s.cpu_busy_us / s.interval_us, s.t_us)::DOUBLE AS busy_cores,
    arg_max(s.memory_total_bytes, s.t_us) AS memory_total_bytes,
    arg_max(s.memory_available_bytes, s.t_us) AS memory_available_bytes,
    min(s.memory_available_bytes) AS memory_lowest_bytes,
    arg_max(s.psi_memory_some_us / s.interval_us, s.t_us)::DOUBLE AS psi_memory,
    max(s.psi_memory_some_us / s.interval_us)::DOUBLE AS psi_memory_highest,
    arg_max(s.psi_cpu_some_us / s.interval_us, s.t_us)::DOUBLE AS psi_cpu,
    arg_max(s.psi_io_some_us / s.interval_us, s.t_us)::DOUBLE AS psi_io,
    arg_max(s.targets, s.t_us) AS targets,
    arg_max(s.disk_free_bytes, s.t_us) AS disk_free_bytes
FROM host_sample AS s
LEFT JOIN machines AS m ON m.source = s.source
WHERE s.t_us >= $since_us
GROUP BY coalesce(m.host, s.source)
ORDER BY 1
