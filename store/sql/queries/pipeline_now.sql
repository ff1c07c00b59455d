-- What is known about the pipeline itself: who wrote, until when, what was missed, given up, unreadable,
-- or told by a clock that stepped?
SELECT
    (SELECT min(t_us) FROM host_info) AS first_t_us,
    (
        SELECT greatest(
            (SELECT max(t_us) FROM host_sample),
            (SELECT max(t_us) FROM sample),
            (SELECT max(t_us) FROM trial_finished),
            (SELECT max(t_us) FROM phase_started),
            (SELECT max(t_us) FROM collector_self)
        )
    ) AS newest_t_us,
    (SELECT count(*) FROM source_progress) AS sources,
    (SELECT count(DISTINCT source) FROM host_info) AS collectors,
    (SELECT count(*) FROM dead_letter) AS dead_letters,
    (SELECT count(*) FROM unknown_event) AS unknown_events,
    (SELECT coalesce(sum(ticks), 0)::BIGINT FROM tick_missed) AS missed_ticks,
    (SELECT max(late_us) FROM tick_missed) AS missed_late_us,
    (SELECT coalesce(sum(ticks), 0)::BIGINT FROM collector_self) AS served_ticks,
    (SELECT coalesce(sum(dropped), 0)::BIGINT FROM samples_thinned) AS dropped_samples,
    (SELECT count(*) FROM samples_thinned) AS thinnings,
    (SELECT count(*) FROM clock_stepped) AS clock_steps,
    (SELECT arg_max(step_us, abs(step_us)) FROM clock_stepped) AS largest_step_us,
    (SELECT coalesce(sum(interval_us), 0)::BIGINT FROM collector_self) AS self_interval_us,
    (SELECT coalesce(sum(cpu_us), 0)::BIGINT FROM collector_self) AS self_cpu_us,
    (SELECT max(rss_bytes) FROM collector_self) AS self_rss_bytes,
    (SELECT max(lateness_max_us) FROM collector_self) AS self_lateness_us,
    (SELECT coalesce(sum(events_written), 0)::BIGINT FROM collector_self) AS self_events,
    (SELECT max(targets) FROM collector_self) AS self_targets
