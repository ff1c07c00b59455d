-- Tables of what shippers say.

-- How far a topic has what a journal has, interval by interval.
CREATE TABLE shipper_self (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    log VARCHAR NOT NULL,
    interval_us BIGINT NOT NULL,
    acknowledged_records BIGINT NOT NULL,
    acknowledged_bytes BIGINT NOT NULL,
    waiting_bytes BIGINT NOT NULL,
    lag_us BIGINT,
    failures BIGINT NOT NULL,
    last_error VARCHAR,
    cpu_us BIGINT NOT NULL,
    rss_bytes BIGINT
);

-- Lines that no broker takes.
CREATE TABLE events_refused (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    reason VARCHAR NOT NULL,
    ranges JSON NOT NULL,
    stream VARCHAR NOT NULL,
    "offset" BIGINT NOT NULL,
    size_bytes BIGINT NOT NULL
);

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
SELECT source, seq FROM shipper_self
UNION ALL
SELECT source, seq FROM events_refused
UNION ALL
SELECT source, seq FROM unknown_event;
