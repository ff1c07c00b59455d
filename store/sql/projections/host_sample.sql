-- How each host was at each tick.
INSERT INTO host_sample
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.interval_us,
    d.load1,
    d.memory_available_bytes,
    d.memory_total_bytes,
    d.cpu_busy_us,
    d.psi_memory_some_us,
    d.psi_memory_full_us,
    d.psi_cpu_some_us,
    d.psi_io_some_us,
    d.psi_io_full_us,
    d.net_rx_bytes,
    d.net_tx_bytes,
    d.targets,
    d.oom_kill_total,
    d.disk_free_bytes
FROM (
    SELECT *, json_transform(data, '{
        "interval_us": "BIGINT",
        "load1": "DOUBLE",
        "memory_available_bytes": "BIGINT",
        "memory_total_bytes": "BIGINT",
        "cpu_busy_us": "BIGINT",
        "psi_memory_some_us": "BIGINT",
        "psi_memory_full_us": "BIGINT",
        "psi_cpu_some_us": "BIGINT",
        "psi_io_some_us": "BIGINT",
        "psi_io_full_us": "BIGINT",
        "net_rx_bytes": "BIGINT",
        "net_tx_bytes": "BIGINT",
        "targets": "BIGINT",
        "oom_kill_total": "BIGINT",
        "disk_free_bytes": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'host.sample'
);
