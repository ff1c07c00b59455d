-- Which kills fell into a window? Every one up to $most, the newest first, and how many there are in all.
WITH told AS (
    SELECT
        trial, try_no, target, ordinal,
        min(coalesce(killed_t_us, read_after_t_us, t_us)) AS at_us,
        any_value(victim_comm) AS victim,
        any_value(limit_bytes) AS limit_bytes
    FROM oom_kill
    WHERE sweep = $sweep
    GROUP BY trial, try_no, target, ordinal
)
SELECT trial, try_no, at_us, victim, limit_bytes, count(*) OVER () AS kills
FROM told
WHERE at_us BETWEEN $from_us AND $to_us
ORDER BY at_us DESC, trial, try_no, target, ordinal
LIMIT $most
