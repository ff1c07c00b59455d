-- How far is a sweep: trials begun, ended, ended since $since_us, and what the policy says of those that
-- it has judged? An outcome that is not judged yet is in ended and not in judged.
SELECT
    (
        SELECT count(DISTINCT trial) FROM trial_started WHERE sweep = $sweep
    ) AS begun,
    ended.ended,
    ended.lately,
    judged.*
FROM (
    SELECT
        count(DISTINCT trial) AS ended,
        count(DISTINCT trial) FILTER (WHERE t_us >= $since_us) AS lately
    FROM trial_finished
    WHERE sweep = $sweep AND how <> 'cancelled'
) AS ended, (
    SELECT
        count(*) AS judged,
        count(*) FILTER (WHERE counts_as <> 'excluded') AS counted,
        count(*) FILTER (WHERE counts_as = 'infra_error') AS infra,
        count(*) FILTER (WHERE counts_as IN ('infra_suspect', 'timeout_infra')) AS suspects,
        count(*) FILTER (WHERE counts_as = 'pass') AS passed,
        max(policy_version) AS policy_version
    FROM judged_try
    WHERE sweep = $sweep AND outcome
) AS judged
