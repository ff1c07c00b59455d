-- View of evidence: what is known about each ended try, in the words of the verdict vectors; NULL is unknown.

CREATE VIEW evidence AS
WITH kills AS (
    SELECT
        trial,
        try_no,
        count(*) AS kills,
        count(*) FILTER (WHERE by_parent) AS parent_kills,
        count(*) FILTER (WHERE by_parent IS NULL) AS unplaced_kills,
        CASE
            WHEN bool_or(phase = 'verifier') THEN 'verifier'
            ELSE last(phase ORDER BY at_us, ordinal) FILTER (WHERE phase IS NOT NULL)
        END AS phase,
        last(command ORDER BY at_us, ordinal) FILTER (WHERE command IS NOT NULL) AS command,
        last(victim_comm ORDER BY at_us, ordinal) FILTER (WHERE victim_comm IS NOT NULL)
            AS victim
    FROM kill
    WHERE trial IS NOT NULL
    GROUP BY trial, try_no
),
boxes AS (
    SELECT
        trial,
        try_no,
        min(t_us) AS created_t_us,
        arg_max_null(applied_memory_ceiling_bytes, t_us) AS ceiling_bytes,
        arg_max_null(parent_cap_bytes, t_us) AS parent_cap_bytes
    FROM sandbox
    GROUP BY trial, try_no
),
ends AS (
    SELECT
        trial,
        try_no,
        max(t_us) AS t_us,
        max(peak_bytes) AS peak_bytes,
        sum(oom_kill_total)::BIGINT AS oom_kill_total,
        sum(oom_group_kill_total)::BIGINT AS oom_group_kill_total,
        sum(cpu_periods) AS cpu_periods,
        sum(cpu_throttled_periods) AS cpu_throttled_periods,
        sum(psi_memory_full_us) AS psi_memory_full_us
    FROM sandbox_end
    GROUP BY trial, try_no
),
states AS (
    SELECT trial, try_no, count(*) FILTER (WHERE state = 'group_killed') AS group_kills
    FROM sandbox_state
    GROUP BY trial, try_no
),
agent_phase AS (
    SELECT trial, try_no, duration_s, how FROM phase WHERE phase = 'agent'
),
tools AS (
    SELECT trial, try_no, sum(duration_s) AS busy_s, bool_or(how = 'timeout') AS any_timeout
    FROM exec_finished
    WHERE phase = 'agent'
    GROUP BY trial, try_no
),
facts AS (
    SELECT
        t.*,
        k.kills, k.parent_kills, k.unplaced_kills,
        k.phase AS kill_phase, k.command AS kill_command, k.victim AS kill_victim,
        b.created_t_us, b.ceiling_bytes, b.parent_cap_bytes,
        e.t_us AS destroyed_t_us, e.peak_bytes, e.oom_kill_total, e.oom_group_kill_total,
        e.cpu_periods, e.cpu_throttled_periods, e.psi_memory_full_us,
        s.group_kills,
        a.duration_s AS agent_s,
        coalesce(t.timed_out_phase = 'agent', false) OR coalesce(a.how = 'timeout', false)
            AS agent_timed_out,
        o.busy_s,
        b.created_t_us IS NULL AND t.how = 'error' AS never_started
    FROM trial_try AS t
    LEFT JOIN kills AS k ON k.trial = t.trial AND k.try_no = t.try_no
    LEFT JOIN boxes AS b ON b.trial = t.trial AND b.try_no = t.try_no
    LEFT JOIN ends AS e ON e.trial = t.trial AND e.try_no = t.try_no
    LEFT JOIN states AS s ON s.trial = t.trial AND s.try_no = t.try_no
    LEFT JOIN agent_phase AS a ON a.trial = t.trial AND a.try_no = t.try_no
    LEFT JOIN tools AS o ON o.trial = t.trial AND o.try_no = t.try_no
    WHERE t.finished_t_us IS NOT NULL
)
SELECT
    sweep, trial, try_no, task, agent, model, "condition", attempt, block, host,
    stands, outcome, started_t_us, finished_t_us, duration_s, how, reward,
    spec_memory_bytes, ceiling_bytes,
    memory_ceiling_multiple AS ceiling_multiple,
    parent_cap_bytes, peak_bytes,
    coalesce(kills, 0) AS kills,
    kill_phase, kill_command, kill_victim,

    reward >= 1 AS passed,
    CASE
        WHEN oom_kill_total IS NULL AND kills IS NULL THEN NULL
        ELSE greatest(coalesce(oom_kill_total, 0), coalesce(kills, 0)) - coalesce(parent_kills, 0)
    END AS oom_kill,
    CASE
        WHEN oom_group_kill_total > 0 THEN oom_group_kill_total
        WHEN group_kills > 0 THEN group_kills
        ELSE oom_group_kill_total
    END AS oom_group_kill,
    kill_phase AS oom_phase,
    sandbox_exit AS pid1_exit,
    agent_timed_out AS timed_out,
    agent_timed_out AS killed_by_harness_timeout,
    verifier_ran,
    coalesce(
        verifier_error,
        CASE WHEN timed_out_phase = 'verifier' THEN 'VerifierTimeoutError' END
    ) AS verifier_exception,
    CASE
        WHEN how = 'error' AND NOT never_started
            THEN coalesce(json_extract_string(exceptions, '$[0].type'), 'unknown')
    END AS harness_exception,
    how = 'cancelled' AS cancelled_by_operator,
    CASE WHEN created_t_us IS NOT NULL THEN true WHEN never_started THEN false END
        AS container_started,
    CASE WHEN never_started THEN json_extract_string(exceptions, '$[0].message') END
        AS start_error,
    CASE
        WHEN parent_kills > 0 THEN true
        WHEN unplaced_kills > 0 THEN NULL
        WHEN coalesce(oom_kill_total, kills) > coalesce(kills, 0) THEN NULL
        WHEN coalesce(oom_kill_total, kills) IS NOT NULL THEN false
    END AS node_oom_kill_of_ours,
    CASE WHEN cpu_periods > 0 THEN cpu_throttled_periods / cpu_periods END::DOUBLE
        AS throttled_frac,
    CASE
        WHEN destroyed_t_us > created_t_us
            THEN least(1, psi_memory_full_us / (destroyed_t_us - created_t_us))
    END::DOUBLE AS psi_mem_full_frac,
    CASE WHEN agent_s > 0 THEN least(1, coalesce(busy_s, 0) / agent_s) END::DOUBLE
        AS tool_wall_frac
FROM facts;
