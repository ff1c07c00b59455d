-- Every try that ended, with what was measured of it and the verdict on it.
SELECT * EXCLUDE (because, policy_digest, evidence_digest, row_digest), because::VARCHAR AS because
FROM judged_try
ORDER BY started_t_us, trial, try_no
