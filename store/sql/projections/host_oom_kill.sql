-- OOM kills in cgroups that nobody asked to watch.
INSERT INTO host_oom_kill
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.victim_pid,
    d.victim_comm,
    d.victim_rss_bytes,
    d."constraint",
    d.oom_cgroup,
    d.task_cgroup,
    d.kernel_us
FROM (
    SELECT *, json_transform(data, '{
        "victim_pid": "BIGINT",
        "victim_comm": "VARCHAR",
        "victim_rss_bytes": "BIGINT",
        "constraint": "VARCHAR",
        "oom_cgroup": "VARCHAR",
        "task_cgroup": "VARCHAR",
        "kernel_us": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'host.oom_kill'
);
