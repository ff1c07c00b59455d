-- Which processes did the kernel kill for memory in a trial, in which phase and command?
SELECT
    try_no,
    target,
    ordinal,
    at_us AS t_us,
    killed_t_us IS NOT NULL AS exact_time,
    read_before_t_us,
    read_after_t_us,
    victim_pid,
    victim_comm,
    victim_rss_bytes,
    victim_anon_bytes,
    limit_bytes,
    "constraint",
    oom_cgroup,
    by_parent,
    victim_from,
    phase,
    exec_ordinal,
    command,
    joined_by
FROM kill
WHERE trial = $trial
ORDER BY try_no, at_us, ordinal
