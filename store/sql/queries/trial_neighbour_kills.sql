-- Whom did the kernel kill in other tries on a host between two moments? Never sampled.
WITH placed AS (
    SELECT
        trial,
        try_no,
        any_value(task) AS task,
        any_value(CASE WHEN model IS NULL THEN agent ELSE agent || ' (' || model || ')' END)
            AS contestant,
        any_value("condition") AS "condition"
    FROM trial_started
    WHERE host = $host AND (trial <> $trial OR try_no <> $try_no)
    GROUP BY trial, try_no
),
told AS (
    -- Several observers may tell of one kill: what any of them knows is known.
    SELECT
        trial,
        try_no,
        target,
        ordinal,
        min(coalesce(killed_t_us, read_after_t_us, t_us)) AS t_us,
        any_value(victim_comm) AS victim_comm
    FROM oom_kill
    WHERE t_us BETWEEN $low_us - 300000000 AND $high_us + 300000000
    GROUP BY trial, try_no, target, ordinal
)
SELECT k.t_us, k.trial, k.try_no, p.task, p.contestant, p."condition", k.victim_comm
FROM told AS k
JOIN placed AS p ON p.trial = k.trial AND p.try_no = k.try_no
WHERE k.t_us BETWEEN $low_us AND $high_us
ORDER BY k.t_us, k.trial, k.ordinal
LIMIT $most
