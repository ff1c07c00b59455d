-- Tables of what was pruned and what a copy left out, and views of all events.

-- Which events no table may hold any more.
CREATE TABLE log_pruned (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    author VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    sweeps JSON NOT NULL,
    before_t_us BIGINT,
    ranges JSON NOT NULL,
    trials JSON NOT NULL,
    events BIGINT NOT NULL
);

-- Which events a copy of a sweep does not have.
CREATE TABLE events_left_out (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    sweep_copied VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    ranges JSON NOT NULL
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
SELECT source, seq FROM log_pruned
UNION ALL
SELECT source, seq FROM events_left_out
UNION ALL
SELECT source, seq FROM unknown_event;

-- The envelope of every event that the tables hold.
CREATE VIEW enveloped AS
SELECT 'sweep.planned' AS type, source, seq, t_us, sweep, trial FROM sweep_planned
UNION ALL
SELECT 'sweep.started' AS type, source, seq, t_us, sweep, trial FROM sweep_started
UNION ALL
SELECT 'sweep.finished' AS type, source, seq, t_us, sweep, trial FROM sweep_finished
UNION ALL
SELECT 'trial.started' AS type, source, seq, t_us, sweep, trial FROM trial_started
UNION ALL
SELECT 'phase.started' AS type, source, seq, t_us, sweep, trial FROM phase_started
UNION ALL
SELECT 'phase.finished' AS type, source, seq, t_us, sweep, trial FROM phase_finished
UNION ALL
SELECT 'exec.finished' AS type, source, seq, t_us, sweep, trial FROM exec_finished
UNION ALL
SELECT 'trial.finished' AS type, source, seq, t_us, sweep, trial FROM trial_finished
UNION ALL
SELECT 'sandbox.created' AS type, source, seq, t_us, sweep, trial FROM sandbox_created
UNION ALL
SELECT 'sandbox.state' AS type, source, seq, t_us, sweep, trial FROM sandbox_state
UNION ALL
SELECT 'sandbox.destroyed' AS type, source, seq, t_us, sweep, trial FROM sandbox_destroyed
UNION ALL
SELECT 'oom.kill' AS type, source, seq, t_us, sweep, trial FROM oom_kill
UNION ALL
SELECT 'sample' AS type, source, seq, t_us, sweep, trial FROM sample
UNION ALL
SELECT 'host.info' AS type, source, seq, t_us, sweep, trial FROM host_info
UNION ALL
SELECT 'host.sample' AS type, source, seq, t_us, sweep, trial FROM host_sample
UNION ALL
SELECT 'host.oom_kill' AS type, source, seq, t_us, sweep, trial FROM host_oom_kill
UNION ALL
SELECT 'collector.self' AS type, source, seq, t_us, sweep, trial FROM collector_self
UNION ALL
SELECT 'probe.unavailable' AS type, source, seq, t_us, sweep, trial FROM probe_unavailable
UNION ALL
SELECT 'tick.missed' AS type, source, seq, t_us, sweep, trial FROM tick_missed
UNION ALL
SELECT 'samples.thinned' AS type, source, seq, t_us, sweep, trial FROM samples_thinned
UNION ALL
SELECT 'clock.stepped' AS type, source, seq, t_us, sweep, trial FROM clock_stepped
UNION ALL
SELECT 'verdict.overridden' AS type, source, seq, t_us, sweep, trial FROM verdict_overridden
UNION ALL
SELECT 'note.added' AS type, source, seq, t_us, sweep, trial FROM note_added
UNION ALL
SELECT 'shipper.self' AS type, source, seq, t_us, sweep, trial FROM shipper_self
UNION ALL
SELECT 'events.refused' AS type, source, seq, t_us, sweep, trial FROM events_refused
UNION ALL
SELECT 'log.pruned' AS type, source, seq, t_us, sweep, trial FROM log_pruned
UNION ALL
SELECT 'events.left_out' AS type, source, seq, t_us, sweep, trial FROM events_left_out
UNION ALL
SELECT type, source, seq, t_us, sweep, trial FROM unknown_event;
