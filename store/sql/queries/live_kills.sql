-- Which kills are the newest of a sweep: whom did the kernel kill, in which trial, under which ceiling?
WITH told AS (
    -- Several observers may tell of one kill: what any of them knows is known.
    SELECT
        trial, try_no, target, ordinal,
        min(coalesce(killed_t_us, read_after_t_us, t_us)) AS at_us,
        any_value(victim_comm) AS victim,
        any_value(victim_pid) AS victim_pid,
        any_value(victim_rss_bytes) AS victim_rss_bytes,
        any_value(limit_bytes) AS limit_bytes
    FROM oom_kill
    WHERE sweep = $sweep
    GROUP BY trial, try_no, target, ordinal
),
newest AS (
    SELECT *, count(*) OVER () AS kills
    FROM told
    ORDER BY at_us DESC, trial, try_no, target, ordinal
    LIMIT $most
)
SELECT
    n.trial,
    n.try_no,
    n.ordinal,
    n.at_us,
    n.victim,
    n.victim_pid,
    n.victim_rss_bytes,
    any_value(coalesce(s.applied_memory_ceiling_bytes, n.limit_bytes)) AS ceiling_bytes,
    any_value(b.task) AS task,
    any_value(b.agent) AS agent,
    any_value(b."condition") AS "condition",
    arg_max(p.phase, (p.t_us, p.seq)) AS phase,
    n.kills
FROM newest AS n
LEFT JOIN trial_started AS b ON b.trial = n.trial AND b.try_no = n.try_no
LEFT JOIN sandbox_created AS s ON s.trial = n.trial AND s.try_no = n.try_no
LEFT JOIN phase_started AS p
    ON p.trial = n.trial AND p.try_no = n.try_no AND p.t_us <= n.at_us
GROUP BY n.trial, n.try_no, n.target, n.ordinal, n.at_us, n.victim, n.victim_pid,
    n.victim_rss_bytes, n.kills
ORDER BY n.at_us DESC, n.trial, n.try_no, n.ordinal
