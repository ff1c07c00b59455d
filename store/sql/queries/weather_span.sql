-- From when to when did a sweep run, and how many of its tries, kills and causes fall into a window?
WITH tries AS (
    SELECT b.trial, b.try_no, min(b.t_us) AS started_t_us
    FROM trial_started AS b
    WHERE b.sweep = $sweep AND b.trial IS NOT NULL AND b.try_no IS NOT NULL
    GROUP BY b.trial, b.try_no
),
ends AS (
    SELECT trial, try_no, min(t_us) AS finished_t_us
    FROM trial_finished
    WHERE sweep = $sweep
    GROUP BY trial, try_no
)
SELECT
    min(t.started_t_us) AS first_t_us,
    max(greatest(t.started_t_us, e.finished_t_us)) AS last_t_us,
    count(*) AS tries,
    count(*) FILTER (WHERE e.finished_t_us IS NULL) AS "open",
    count(*) FILTER (
        WHERE ($from_us IS NULL OR coalesce(e.finished_t_us, $now_us) >= $from_us)
            AND ($to_us IS NULL OR t.started_t_us <= $to_us)
    ) AS inside
FROM tries AS t
LEFT JOIN ends AS e ON e.trial = t.trial AND e.try_no = t.try_no
