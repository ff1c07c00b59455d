-- Keep the verdicts of the unjudged tries from number $first on, whose evidence has these digests.
INSERT INTO judged_try BY NAME
SELECT
    u.sweep, u.trial, u.try_no, u.task, u.agent, u.model, u."condition", u.attempt, u.block,
    u.host, u.stands, u.outcome, u.started_t_us, u.finished_t_us, u.duration_s, u.how, u.reward,
    u.passed, u.spec_memory_bytes, u.ceiling_bytes, u.ceiling_multiple, u.parent_cap_bytes,
    u.peak_bytes, u.kills, u.kill_phase, u.kill_command, u.kill_victim,
    k.cause, k.family, k.confidence, k.counts_as, k.says, k.ceiling_kill, k.also, v.because,
    $policy AS policy,
    $version AS policy_version,
    $digest AS policy_digest,
    v.evidence_digest,
    u.row_digest
FROM unjudged AS u
JOIN (
    SELECT
        unnest(list) AS evidence_digest,
        $first + unnest(range(len(list))) AS place
    FROM (SELECT from_json($digests, '["VARCHAR"]') AS list)
) AS d ON d.place = u.place
JOIN verdict AS v ON v.evidence_digest = d.evidence_digest
JOIN kind AS k ON k.kind = v.kind
