-- Which machine each writer ran on.
INSERT INTO host_info
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.host,
    d.cores,
    d.memory_bytes,
    d.kernel,
    d.cgroup_version,
    d.psi,
    d.swap_bytes,
    d.cpu_model,
    d.virtualisation,
    d.cloud
FROM (
    SELECT *, json_transform(data, '{
        "host": "VARCHAR",
        "cores": "BIGINT",
        "memory_bytes": "BIGINT",
        "kernel": "VARCHAR",
        "cgroup_version": "BIGINT",
        "psi": "BOOLEAN",
        "swap_bytes": "BIGINT",
        "cpu_model": "VARCHAR",
        "virtualisation": "VARCHAR",
        "cloud": "VARCHAR"
    }') AS d
    FROM incoming
    WHERE known AND type = 'host.info'
);
