-- Every report of an OOM kill in a target; the view kill has one row a kill.
INSERT INTO oom_kill
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.ordinal,
    d.counter_before,
    d.counter_after,
    d.read_before_t_us,
    d.read_after_t_us,
    d.victim_pid,
    d.victim_session_pid,
    d.victim_comm,
    d.victim_rss_bytes,
    d.victim_anon_bytes,
    d.killed_t_us,
    d."constraint",
    d.oom_cgroup,
    d.task_cgroup,
    d.victim_from,
    d.limit_bytes
FROM (
    SELECT *, json_transform(data, '{
        "ordinal": "BIGINT",
        "counter_before": "BIGINT",
        "counter_after": "BIGINT",
        "read_before_t_us": "BIGINT",
        "read_after_t_us": "BIGINT",
        "victim_pid": "BIGINT",
        "victim_session_pid": "BIGINT",
        "victim_comm": "VARCHAR",
        "victim_rss_bytes": "BIGINT",
        "victim_anon_bytes": "BIGINT",
        "killed_t_us": "BIGINT",
        "constraint": "VARCHAR",
        "oom_cgroup": "VARCHAR",
        "task_cgroup": "VARCHAR",
        "victim_from": "VARCHAR",
        "limit_bytes": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'oom.kill'
);
