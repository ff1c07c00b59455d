-- View of trials as a list shows them: each by its outcome and that one's verdict; where it has none that
-- is judged, by its latest try, which runs, or has ended and waits for its verdict. A contestant is an
-- agent, with its model where there is one.
CREATE OR REPLACE VIEW listed_trial AS
WITH judged AS (
    SELECT * FROM judged_try WHERE outcome
),
open_begun AS (
    SELECT b.*
    FROM trial_started AS b
    ANTI JOIN judged AS j ON j.trial = b.trial
    WHERE b.trial IS NOT NULL AND b.try_no IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY b.trial ORDER BY b.try_no DESC, b.t_us, b.source, b.seq
    ) = 1
),
open_killed AS (
    SELECT
        k.trial,
        k.try_no,
        count(DISTINCT (k.target, k.ordinal)) AS kills,
        any_value(k.victim_comm) AS victim
    FROM oom_kill AS k
    SEMI JOIN open_begun AS b ON b.trial = k.trial AND b.try_no = k.try_no
    GROUP BY k.trial, k.try_no
),
open_boxes AS (
    SELECT
        s.trial,
        s.try_no,
        arg_max_null(s.applied_memory_ceiling_bytes, s.t_us) AS ceiling_bytes,
        arg_max_null(s.parent_cap_bytes, s.t_us) AS parent_cap_bytes
    FROM sandbox_created AS s
    SEMI JOIN open_begun AS b ON b.trial = s.trial AND b.try_no = s.try_no
    GROUP BY s.trial, s.try_no
)
SELECT
    sweep, trial, try_no, task,
    CASE WHEN model IS NULL THEN agent ELSE agent || ' (' || model || ')' END AS contestant,
    "condition", attempt, host, started_t_us,
    finished_t_us, duration_s, how, reward, spec_memory_bytes, ceiling_bytes,
    ceiling_multiple, parent_cap_bytes, peak_bytes, kills, kill_phase, kill_command,
    kill_victim, cause, confidence, counts_as, says, policy_version, 'judged' AS state
FROM judged
UNION ALL BY NAME
SELECT
    b.sweep, b.trial, b.try_no, b.task,
    CASE WHEN b.model IS NULL THEN b.agent ELSE b.agent || ' (' || b.model || ')' END
        AS contestant,
    b."condition", b.attempt, b.host,
    b.t_us AS started_t_us,
    e.t_us AS finished_t_us,
    e.duration_s,
    e.how,
    b.spec_memory_bytes,
    x.ceiling_bytes,
    b.memory_ceiling_multiple AS ceiling_multiple,
    x.parent_cap_bytes,
    coalesce(k.kills, 0) AS kills,
    k.victim AS kill_victim,
    CASE WHEN e.how IS NULL THEN 'running' ELSE 'unjudged' END AS state
FROM open_begun AS b
LEFT JOIN try_ended AS e ON e.trial = b.trial AND e.try_no = b.try_no
LEFT JOIN open_killed AS k ON k.trial = b.trial AND k.try_no = b.try_no
LEFT JOIN open_boxes AS x ON x.trial = b.trial AND x.try_no = b.try_no;
