-- What was each sandbox of a trial asked to hold to, and what was really applied?
SELECT
    try_no, target, t_us AS created_t_us, driver, node, oom_scope, oom_scope_enforced_by,
    kernel, cgroup_version, cgroup_path,
    asked_memory_floor_bytes, asked_memory_ceiling_bytes,
    applied_memory_floor_bytes, applied_memory_ceiling_bytes,
    asked_cpu_floor_cores, asked_cpu_ceiling_cores,
    applied_cpu_floor_cores, applied_cpu_ceiling_cores,
    parent_cap_bytes, pids_limit, network, cpu_model,
    CAST(flags AS VARCHAR[]) AS flags
FROM sandbox
WHERE trial = $trial
ORDER BY try_no, created_t_us
