-- The final counters of each sandbox, by each reader that told them.
INSERT INTO sandbox_destroyed
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.read_by,
    d.reason,
    d.peak_bytes,
    d.oom_kill_total,
    d.oom_group_kill_total,
    d.oom_total,
    d.limit_hits_total,
    d.cpu_usage_us,
    d.cpu_periods,
    d.cpu_throttled_periods,
    d.cpu_throttled_us,
    d.psi_memory_some_us,
    d.psi_memory_full_us,
    d.samples
FROM (
    SELECT *, json_transform(data, '{
        "read_by": "VARCHAR",
        "reason": "VARCHAR",
        "peak_bytes": "BIGINT",
        "oom_kill_total": "BIGINT",
        "oom_group_kill_total": "BIGINT",
        "oom_total": "BIGINT",
        "limit_hits_total": "BIGINT",
        "cpu_usage_us": "BIGINT",
        "cpu_periods": "BIGINT",
        "cpu_throttled_periods": "BIGINT",
        "cpu_throttled_us": "BIGINT",
        "psi_memory_some_us": "BIGINT",
        "psi_memory_full_us": "BIGINT",
        "samples": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'sandbox.destroyed'
);
