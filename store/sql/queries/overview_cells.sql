-- Of one sweep, how many outcomes of each kind has each contestant at each task under each condition?
-- "retries" counts tries beyond the standing one, those that never ended among them.
WITH begun AS (
    SELECT trial, count(DISTINCT try_no) AS tries
    FROM trial_started
    WHERE sweep = $sweep AND trial IS NOT NULL
    GROUP BY trial
    HAVING count(DISTINCT try_no) > 1
)
SELECT
    j.sweep,
    j.model,
    j.agent,
    j.task,
    j."condition",
    count(*) FILTER (WHERE j.counts_as = 'pass') AS passed,
    count(*) FILTER (WHERE j.counts_as = 'infra_error') AS infra,
    count(*) FILTER (WHERE j.counts_as = 'fail') AS fail,
    count(*) FILTER (WHERE j.counts_as = 'timeout') AS timeout,
    count(*) FILTER (WHERE j.counts_as = 'infra_suspect') AS suspect,
    count(*) FILTER (WHERE j.counts_as = 'timeout_infra') AS timeout_infra,
    count(*) FILTER (WHERE j.counts_as = 'excluded') AS excluded,
    count(*) FILTER (WHERE j.ceiling_kill AND j.counts_as <> 'excluded') AS killed,
    count(*) FILTER (WHERE wild AND j.confidence = 'certain') AS certain,
    count(*) FILTER (WHERE wild AND j.confidence = 'likely') AS likely,
    count(*) FILTER (WHERE wild AND j.confidence = 'possible') AS possible,
    coalesce(sum(b.tries - 1), 0)::BIGINT AS retries
FROM (
    SELECT *, counts_as IN ('infra_error', 'infra_suspect', 'timeout_infra') AS wild
    FROM judged_try
    WHERE sweep = $sweep AND outcome
) AS j
LEFT JOIN begun AS b ON b.trial = j.trial
GROUP BY ALL
ORDER BY j.task, j.agent, j.model NULLS FIRST, j."condition";
