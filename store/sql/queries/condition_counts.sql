-- How far is each condition of a sweep, by agent: outcomes, passes, kills, timeouts, errors?
SELECT
    sweep,
    "condition",
    agent,
    count(*) AS standing,
    count(*) FILTER (WHERE passed) AS passed,
    count(*) FILTER (WHERE oom_kill > 0) AS killed,
    count(*) FILTER (WHERE timed_out) AS timed_out,
    count(*) FILTER (WHERE how = 'error') AS errors
FROM evidence
WHERE outcome AND ($sweep IS NULL OR sweep = $sweep)
GROUP BY sweep, "condition", agent
ORDER BY min(started_t_us), "condition", agent
