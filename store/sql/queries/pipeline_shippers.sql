-- How far has the shared log what each machine's journal has, by what its shippers said last?
SELECT
    log,
    arg_max(source, t_us) AS source,
    max(t_us) AS t_us,
    sum(acknowledged_records)::BIGINT AS records,
    sum(acknowledged_bytes)::BIGINT AS size_bytes,
    arg_max(waiting_bytes, t_us) AS waiting_bytes,
    max(lag_us) AS worst_lag_us,
    sum(failures)::BIGINT AS failures,
    max_by(last_error, t_us) FILTER (last_error IS NOT NULL) AS last_error,
    (sum(cpu_us) / sum(interval_us))::DOUBLE AS cpu_mean,
    max(rss_bytes) AS rss_bytes
FROM shipper_self
WHERE interval_us > 0
GROUP BY log, source
ORDER BY t_us DESC
LIMIT $most
