-- Views of tries and trials: which try stands, which is the outcome, and which sandbox each had.

-- One row a begun try, however often its beginning was told.
CREATE VIEW try_begun AS
SELECT *
FROM trial_started
WHERE trial IS NOT NULL AND try_no IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY trial, try_no ORDER BY t_us, source, seq) = 1;

-- One row an ended try; an end told by its own runner goes before one told for a dead runner.
CREATE VIEW try_ended AS
SELECT *
FROM trial_finished
WHERE trial IS NOT NULL AND try_no IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY trial, try_no ORDER BY how = 'cancelled', t_us, source, seq
) = 1;

-- One row a begun try: its end if it has one, whether it stands, whether it is the outcome of its trial.
-- A try without an end, or one that was cancelled, does not stand; the first that stands is the outcome.
CREATE VIEW trial_try AS
WITH joined AS (
    SELECT
        b.sweep, b.trial, b.try_no, b.target,
        b.task, b.task_digest, b.agent, b.model, b.condition, b.attempt, b.block, b.host,
        b.spec_memory_bytes, b.memory_ceiling_multiple,
        b.t_us AS started_t_us,
        e.t_us AS finished_t_us,
        e.how,
        e.duration_s,
        e.rewards,
        TRY_CAST(json_extract_string(
            e.rewards, '$."' || replace(e.reward_key, '"', '\"') || '"'
        ) AS DOUBLE) AS reward,
        e.verifier_ran, e.verifier_exit, e.verifier_error,
        e.timed_out_phase, e.sandbox_exit, e.agent_exit, e.exceptions,
        e.how IS NOT NULL AND e.how <> 'cancelled' AS stands
    FROM try_begun AS b
    LEFT JOIN try_ended AS e ON e.trial = b.trial AND e.try_no = b.try_no
)
SELECT
    *,
    stands
        AND try_no = min(CASE WHEN stands THEN try_no END) OVER (PARTITION BY trial) AS outcome
FROM joined;

-- One row a trial that was begun: its outcome, if it has one, and its latest try.
CREATE VIEW trial AS
SELECT
    arg_min(sweep, try_no) AS sweep,
    trial,
    arg_min(task, try_no) AS task,
    arg_min(agent, try_no) AS agent,
    arg_min(model, try_no) AS model,
    arg_min("condition", try_no) AS "condition",
    arg_min(attempt, try_no) AS attempt,
    count(*) AS tries,
    min(try_no) FILTER (WHERE outcome) AS standing_try,
    max(try_no) AS latest_try,
    arg_max(started_t_us, try_no) AS latest_started_t_us,
    arg_max_null(how, try_no) AS latest_how,
    any_value(reward) FILTER (WHERE outcome) AS reward
FROM trial_try
GROUP BY trial;

-- One row a sandbox: the last words on what was asked and applied.
CREATE VIEW sandbox AS
SELECT *
FROM sandbox_created
QUALIFY row_number() OVER (
    PARTITION BY trial, try_no, target ORDER BY t_us DESC, source, seq
) = 1;

-- One row a sandbox that ended: the final counters, the collector's before the runner's.
CREATE VIEW sandbox_end AS
SELECT *
FROM sandbox_destroyed
QUALIFY row_number() OVER (
    PARTITION BY trial, try_no, target ORDER BY read_by <> 'collector', t_us DESC, source, seq
) = 1;

-- One row a phase of a try: its beginning and its end, as far as they were told.
CREATE VIEW phase AS
WITH begun AS (
    SELECT *
    FROM phase_started
    QUALIFY row_number() OVER (PARTITION BY trial, try_no, phase ORDER BY t_us, source, seq) = 1
),
ended AS (
    SELECT *
    FROM phase_finished
    QUALIFY row_number() OVER (PARTITION BY trial, try_no, phase ORDER BY t_us, source, seq) = 1
)
SELECT
    coalesce(b.trial, e.trial) AS trial,
    coalesce(b.try_no, e.try_no) AS try_no,
    coalesce(b.phase, e.phase) AS phase,
    b.t_us AS started_t_us,
    b.limit_s,
    e.t_us AS finished_t_us,
    e.how,
    e.duration_s,
    e.message
FROM begun AS b
FULL JOIN ended AS e ON e.trial = b.trial AND e.try_no = b.try_no AND e.phase = b.phase;
