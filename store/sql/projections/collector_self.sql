-- What each collector cost and wrote, interval by interval.
INSERT INTO collector_self
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.interval_us,
    d.cpu_us,
    d.rss_bytes,
    d.ticks,
    d.targets,
    d.lateness_max_us,
    d.lateness_mean_us,
    d.events_written,
    d.samples_dropped,
    d.open_files
FROM (
    SELECT *, json_transform(data, '{
        "interval_us": "BIGINT",
        "cpu_us": "BIGINT",
        "rss_bytes": "BIGINT",
        "ticks": "BIGINT",
        "targets": "BIGINT",
        "lateness_max_us": "BIGINT",
        "lateness_mean_us": "BIGINT",
        "events_written": "BIGINT",
        "samples_dropped": "BIGINT",
        "open_files": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'collector.self'
);
