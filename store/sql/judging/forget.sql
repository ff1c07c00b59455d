-- Drop what another policy said of the touched trials, or this one of other evidence.
DELETE FROM judged_try AS j
WHERE
    j.trial IN (SELECT trial FROM touched)
    AND NOT EXISTS (
        SELECT 1
        FROM told AS t
        WHERE t.trial = j.trial
            AND t.try_no = j.try_no
            AND t.row_digest = j.row_digest
            AND j.policy = $policy
            AND j.policy_version = $version
            AND j.policy_digest = $digest
    )
