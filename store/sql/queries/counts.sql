-- How much does the store hold, how much is missing or unreadable, and which span of time is it about?
SELECT
    (SELECT coalesce(sum(next_seq), 0) FROM source_progress) - missing AS events,
    (SELECT count(*) FROM sample) AS samples,
    (SELECT count(*) FROM source_progress) AS sources,
    (SELECT count(*) FROM log_position) AS streams,
    (SELECT count(*) FROM dead_letter) AS dead_letters,
    (SELECT count(*) FROM unknown_event) AS unknown_events,
    (SELECT count(*) FROM unknown_field) AS unknown_fields,
    missing AS missing_seqs,
    (SELECT least(
        (SELECT min(t_us) FROM sample),
        (SELECT min(t_us) FROM sweep_planned),
        (SELECT min(t_us) FROM trial_started),
        (SELECT min(t_us) FROM host_info)
    )) AS first_t_us,
    (SELECT greatest(
        (SELECT max(t_us) FROM sample),
        (SELECT max(t_us) FROM trial_finished),
        (SELECT max(t_us) FROM sweep_finished),
        (SELECT max(t_us) FROM host_sample)
    )) AS last_t_us
FROM (SELECT coalesce(sum(last::HUGEINT - first + 1), 0) AS missing FROM gap)
