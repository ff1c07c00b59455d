-- How far is one sweep, and how much of it do the verdicts cover? One row.
WITH begun AS (
    SELECT count(DISTINCT (trial, try_no)) AS tries
    FROM trial_started
    WHERE sweep = $sweep AND trial IS NOT NULL
),
ended AS (
    SELECT count(DISTINCT (trial, try_no)) AS tries
    FROM trial_finished
    WHERE sweep = $sweep AND trial IS NOT NULL
),
judged AS (
    SELECT
        count(*) AS tries,
        count(*) FILTER (WHERE outcome) AS outcomes,
        count(*) FILTER (WHERE outcome AND peak_bytes IS NULL) AS unmeasured,
        count(*) FILTER (WHERE outcome AND ceiling_kill) AS killed,
        max(finished_t_us) AS last_finished_t_us,
        list(DISTINCT policy ORDER BY policy) AS policies,
        list(DISTINCT policy_version ORDER BY policy_version) AS policy_versions
    FROM judged_try
    WHERE sweep = $sweep
)
SELECT
    greatest(0, begun.tries - ended.tries) AS tries_open,
    -- A try is judged whose beginning was told, too: of one without, nothing can be said.
    greatest(0, least(begun.tries, ended.tries) - judged.tries) AS tries_unjudged,
    judged.outcomes, judged.unmeasured, judged.killed, judged.last_finished_t_us,
    judged.policies, judged.policy_versions
FROM begun, ended, judged;
