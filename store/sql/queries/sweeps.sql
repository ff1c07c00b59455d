-- Which sweeps are there, what was planned, and how far is each?
WITH planned AS (
    SELECT *
    FROM sweep_planned
    WHERE sweep IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY sweep ORDER BY t_us, source, seq) = 1
),
campaigns AS (
    SELECT
        sweep,
        count(*) AS campaigns,
        last(concurrency ORDER BY t_us, source, seq) AS concurrency,
        min(t_us) AS first_t_us,
        last(source ORDER BY t_us, source, seq) AS latest
    FROM sweep_started
    GROUP BY sweep
),
ended AS (
    SELECT sweep, source, max(t_us) AS t_us, last(reason ORDER BY t_us, seq) AS reason
    FROM sweep_finished
    GROUP BY sweep, source
),
-- A trial has an outcome when one of its begun tries has an end that stands: which try that is (the
-- view trial_try says it) need not be known to count trials, and this is asked by every page.
begun AS (
    SELECT trial, try_no, min(sweep) AS sweep
    FROM trial_started
    WHERE trial IS NOT NULL AND try_no IS NOT NULL
    GROUP BY trial, try_no
),
standing AS (
    SELECT DISTINCT trial, try_no FROM trial_finished WHERE how <> 'cancelled'
),
outcomes AS (
    SELECT b.sweep, count(*) AS tries, count(DISTINCT s.trial) AS standing
    FROM begun AS b
    LEFT JOIN standing AS s ON s.trial = b.trial AND s.try_no = b.try_no
    GROUP BY b.sweep
)
SELECT
    p.sweep,
    p.name,
    p.digest,
    p.seed,
    p.trials,
    p.attempts,
    CAST(p.conditions AS VARCHAR[]) AS conditions,
    CAST(p.agents AS VARCHAR[]) AS agents,
    json_keys(p.tasks) AS tasks,
    p.oom_scope,
    p.timezone,
    p.dataset,
    p.harness,
    p.product_version,
    p.t_us AS planned_t_us,
    coalesce(c.campaigns, 0) AS campaigns,
    c.concurrency,
    c.first_t_us AS first_started_t_us,
    e.t_us AS finished_t_us,
    e.reason AS finished_reason,
    coalesce(o.standing, 0) AS standing,
    coalesce(o.tries, 0) AS tries
FROM planned AS p
LEFT JOIN campaigns AS c ON c.sweep = p.sweep
LEFT JOIN ended AS e ON e.sweep = p.sweep AND e.source = c.latest
LEFT JOIN outcomes AS o ON o.sweep = p.sweep
ORDER BY p.t_us, p.sweep
