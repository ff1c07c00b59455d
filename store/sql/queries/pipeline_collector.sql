-- What did the collectors cost and write, in slices of time? Per slice the mean and the highest of CPU,
-- and the highest of memory and lateness, so that no bad moment is averaged away.
SELECT
    (t_us - $from_us) // $bin_us AS slice,
    (sum(cpu_us) / sum(interval_us))::DOUBLE AS cpu_mean,
    max(cpu_us / interval_us)::DOUBLE AS cpu_highest,
    max(rss_bytes) AS rss_bytes,
    max(lateness_max_us) AS lateness_us,
    (1e6 * sum(events_written) / sum(interval_us))::DOUBLE AS events_per_s,
    max(targets) AS targets
FROM collector_self
WHERE t_us BETWEEN $from_us AND $to_us AND interval_us > 0
GROUP BY slice
ORDER BY slice
