-- Which tries ran in a window, from when to when, and what became of each? At most $most, by beginning.
WITH tries AS (
    SELECT
        trial,
        try_no,
        min(t_us) AS started_t_us,
        arg_min(task, t_us) AS task,
        arg_min(agent, t_us) AS agent,
        arg_min("condition", t_us) AS "condition"
    FROM trial_started
    WHERE sweep = $sweep AND trial IS NOT NULL AND try_no IS NOT NULL AND t_us <= $to_us
    GROUP BY trial, try_no
),
ends AS (
    SELECT trial, try_no, min(t_us) AS finished_t_us
    FROM trial_finished
    WHERE sweep = $sweep
    GROUP BY trial, try_no
)
SELECT
    t.trial, t.try_no, t.task, t.agent, t."condition", t.started_t_us,
    e.finished_t_us,
    j.cause,
    j.says
FROM tries AS t
LEFT JOIN ends AS e ON e.trial = t.trial AND e.try_no = t.try_no
LEFT JOIN judged_try AS j ON j.trial = t.trial AND j.try_no = t.try_no
WHERE coalesce(e.finished_t_us, $now_us) >= $from_us
ORDER BY t.started_t_us, t.trial, t.try_no
LIMIT $most
