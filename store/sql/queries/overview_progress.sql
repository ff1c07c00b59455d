-- How far is one sweep, and how much of it do the verdicts cover? One row.
WITH begun AS (
    SELECT DISTINCT trial, try_no FROM trial_started WHERE sweep = $sweep AND trial IS NOT NULL
),
ended AS (
    SELECT DISTINCT trial, try_no FROM trial_finished WHERE sweep = $sweep AND trial IS NOT NULL
),
judged AS (
    SELECT * FROM judged_try WHERE sweep = $sweep
)
SELECT
    (SELECT count(DISTINCT trial) FROM begun) AS trials_begun,
    (SELECT count(*) FROM begun ANTI JOIN ended USING (trial, try_no)) AS tries_open,
    (SELECT count(*) FROM ended ANTI JOIN judged USING (trial, try_no)) AS tries_unjudged,
    (SELECT count(*) FROM judged WHERE outcome) AS outcomes,
    (SELECT count(*) FROM judged WHERE outcome AND peak_bytes IS NULL) AS unmeasured,
    (SELECT count(*) FROM judged WHERE outcome AND ceiling_kill) AS killed,
    (SELECT max(finished_t_us) FROM judged) AS last_finished_t_us,
    (SELECT list(DISTINCT policy ORDER BY policy) FROM judged) AS policies,
    (SELECT list(DISTINCT policy_version ORDER BY policy_version) FROM judged) AS policy_versions;
