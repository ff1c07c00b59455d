-- How did the memory of some tries go, each in so many slices from its beginning to its end (or to the
-- newest sample, where it has none yet)? Per slice the highest usage and the highest peak.
WITH asked AS (
    SELECT
        unnest($trials::VARCHAR[]) AS trial,
        unnest($tries::BIGINT[]) AS try_no,
        unnest($starts_us::BIGINT[]) AS low_us,
        unnest($ends_us::BIGINT[]) AS end_us
),
read AS (
    SELECT
        s.trial,
        s.try_no,
        s.t_us - a.low_us AS into_us,
        coalesce(a.end_us, max(s.t_us) OVER ()) - a.low_us + 1 AS whole_us,
        s.usage_bytes,
        s.peak_bytes
    FROM sample AS s
    JOIN asked AS a ON a.trial = s.trial AND a.try_no = s.try_no
    WHERE s.t_us BETWEEN $low_us AND $high_us
        AND s.trial IN $trials
        AND s.t_us >= a.low_us
        AND s.t_us <= coalesce(a.end_us, $high_us)
)
SELECT
    trial,
    try_no,
    (into_us * $slices) // whole_us AS slice,
    max(usage_bytes) AS usage_bytes,
    max(peak_bytes) AS peak_bytes
FROM read
GROUP BY ALL
ORDER BY ALL
