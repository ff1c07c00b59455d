-- The identity of every event, whatever its type: one row for each row of an event's table.
CREATE VIEW held AS
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
SELECT source, seq FROM unknown_event;
