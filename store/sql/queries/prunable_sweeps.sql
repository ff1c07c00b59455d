-- Which sweeps do the tables hold, how much of each, and when was the last event of it?
SELECT
    e.sweep,
    any_value(p.name) AS name,
    count(*) AS events,
    count(DISTINCT e.trial) AS trials,
    min(e.t_us) AS first_t_us,
    max(e.t_us) AS last_t_us
FROM enveloped AS e
LEFT JOIN (
    SELECT sweep, min(name) AS name FROM sweep_planned GROUP BY sweep
) AS p ON p.sweep = e.sweep
WHERE e.sweep IS NOT NULL
GROUP BY e.sweep
ORDER BY first_t_us, e.sweep
