-- Tables of what people say, and the view of what of it holds now.

-- What people say that the verdict on a try should be. All of it: nothing is unsaid.
CREATE TABLE verdict_overridden (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    author VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    cause VARCHAR,
    counts_as VARCHAR
);

-- Notes of people on trials, hosts and spans of time.
CREATE TABLE note_added (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    author VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    host VARCHAR,
    from_t_us BIGINT,
    to_t_us BIGINT
);

-- One row an override or note that holds: of overrides, the last that an author said of a try, unless
-- they took it back. Where authors disagree, "counts" marks the last word of all.
CREATE VIEW words AS
WITH last_words AS (
    SELECT *
    FROM verdict_overridden
    WHERE trial IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY trial, try_no, author ORDER BY t_us DESC, source DESC, seq DESC
    ) = 1
)
SELECT
    'override' AS kind,
    sweep, trial, try_no,
    NULL::VARCHAR AS host,
    NULL::BIGINT AS from_t_us,
    NULL::BIGINT AS to_t_us,
    cause, counts_as, author, text, t_us, source, seq,
    row_number() OVER (
        PARTITION BY trial, try_no ORDER BY t_us DESC, source DESC, seq DESC
    ) = 1 AS counts
FROM last_words
WHERE cause IS NOT NULL
UNION ALL
SELECT
    'note' AS kind,
    sweep, trial, try_no, host, from_t_us, to_t_us,
    NULL AS cause,
    NULL AS counts_as,
    author, text, t_us, source, seq,
    false AS counts
FROM note_added;

-- The identity of every event, whatever its type: one row for each row of an event's table.
CREATE OR REPLACE VIEW held AS
SELECT source, seq FROM sweep_planned
UNION ALL
SELECT source, seq FROM sweep_started
UNION ALL
SELECT source, seq FROM sweep_finished
UNION ALL
SELECT source, seq FROM trial_started
UNION ALL
SELECT source, seq FROM phase_started
UNION ALL
SELECT source, seq FROM phase_finished
UNION ALL
SELECT source, seq FROM exec_finished
UNION ALL
SELECT source, seq FROM trial_finished
UNION ALL
SELECT source, seq FROM sandbox_created
UNION ALL
SELECT source, seq FROM sandbox_state
UNION ALL
SELECT source, seq FROM sandbox_destroyed
UNION ALL
SELECT source, seq FROM oom_kill
UNION ALL
SELECT source, seq FROM sample
UNION ALL
SELECT source, seq FROM host_info
UNION ALL
SELECT source, seq FROM host_sample
UNION ALL
SELECT source, seq FROM host_oom_kill
UNION ALL
SELECT source, seq FROM collector_self
UNION ALL
SELECT source, seq FROM probe_unavailable
UNION ALL
SELECT source, seq FROM tick_missed
UNION ALL
SELECT source, seq FROM samples_thinned
UNION ALL
SELECT source, seq FROM clock_stepped
UNION ALL
SELECT source, seq FROM verdict_overridden
UNION ALL
SELECT source, seq FROM note_added
UNION ALL
SELECT source, seq FROM unknown_event;
