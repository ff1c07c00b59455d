-- What each sandbox was asked to hold to and what was really applied.
INSERT INTO sandbox_created
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.driver,
    d.node,
    d.oom_scope,
    d.oom_scope_enforced_by,
    d.kernel,
    d.cgroup_version,
    d.cgroup_path,
    d.image,
    d.image_digest,
    d.asked_memory_floor_bytes,
    d.asked_memory_ceiling_bytes,
    d.applied_memory_floor_bytes,
    d.applied_memory_ceiling_bytes,
    d.asked_cpu_floor_cores,
    d.asked_cpu_ceiling_cores,
    d.applied_cpu_floor_cores,
    d.applied_cpu_ceiling_cores,
    d.parent_cap_bytes,
    d.pids_limit,
    d.network,
    d.qos_class,
    d.cpu_model,
    d.flags
FROM (
    SELECT *, json_transform(data, '{
        "driver": "VARCHAR",
        "node": "VARCHAR",
        "oom_scope": "VARCHAR",
        "oom_scope_enforced_by": "VARCHAR",
        "kernel": "VARCHAR",
        "cgroup_version": "BIGINT",
        "cgroup_path": "VARCHAR",
        "image": "VARCHAR",
        "image_digest": "VARCHAR",
        "asked_memory_floor_bytes": "BIGINT",
        "asked_memory_ceiling_bytes": "BIGINT",
        "applied_memory_floor_bytes": "BIGINT",
        "applied_memory_ceiling_bytes": "BIGINT",
        "asked_cpu_floor_cores": "DOUBLE",
        "asked_cpu_ceiling_cores": "DOUBLE",
        "applied_cpu_floor_cores": "DOUBLE",
        "applied_cpu_ceiling_cores": "DOUBLE",
        "parent_cap_bytes": "BIGINT",
        "pids_limit": "BIGINT",
        "network": "VARCHAR",
        "qos_class": "VARCHAR",
        "cpu_model": "VARCHAR",
        "flags": "JSON"
    }') AS d
    FROM incoming
    WHERE known AND type = 'sandbox.created'
);
