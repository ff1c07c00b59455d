-- How far each shipper has come, interval by interval.
INSERT INTO shipper_self
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.log,
    d.interval_us,
    d.acknowledged_records,
    d.acknowledged_bytes,
    d.waiting_bytes,
    d.lag_us,
    d.failures,
    d.last_error,
    d.cpu_us,
    d.rss_bytes
FROM (
    SELECT *, json_transform(data, '{
        "log": "VARCHAR",
        "interval_us": "BIGINT",
        "acknowledged_records": "BIGINT",
        "acknowledged_bytes": "BIGINT",
        "waiting_bytes": "BIGINT",
        "lag_us": "BIGINT",
        "failures": "BIGINT",
        "last_error": "VARCHAR",
        "cpu_us": "BIGINT",
        "rss_bytes": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'shipper.self'
);
