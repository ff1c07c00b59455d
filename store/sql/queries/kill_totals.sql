-- Does the final kill counter of each try's sandbox equal the kills that were told of it?
WITH told AS (
    SELECT trial, try_no, target, count(*) AS kills
    FROM kill
    WHERE trial IS NOT NULL
    GROUP BY trial, try_no, target
)
SELECT
    coalesce(e.trial, k.trial) AS trial,
    coalesce(e.try_no, k.try_no) AS try_no,
    coalesce(e.target, k.target) AS target,
    e.oom_kill_total AS counted,
    coalesce(k.kills, 0) AS told,
    e.read_by
FROM (SELECT * FROM sandbox_end WHERE trial IS NOT NULL) AS e
FULL JOIN told AS k
    ON k.trial = e.trial AND k.try_no = e.try_no AND k.target IS NOT DISTINCT FROM e.target
ORDER BY ALL
