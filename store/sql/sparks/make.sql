-- Make the sparks that are due, with the slices that the query trials_spark has. The bounds come first:
-- samples lie in order of time, so all others are skipped unread.
INSERT INTO try_spark BY NAME
WITH slices AS (
    SELECT
        d.trial,
        d.try_no,
        ((s.t_us - d.started_t_us) * $slices) // (d.finished_t_us - d.started_t_us + 1) AS slice,
        max(s.usage_bytes) AS usage_bytes,
        max(s.peak_bytes) AS peak_bytes
    FROM sample AS s
    JOIN spark_due AS d ON d.trial = s.trial AND d.try_no = s.try_no
    WHERE s.t_us BETWEEN $low_us AND $high_us
        AND s.t_us >= d.started_t_us
        AND s.t_us <= d.finished_t_us
    GROUP BY ALL
),
sampled AS (
    SELECT
        trial,
        try_no,
        map_from_entries(list((slice, usage_bytes))) AS usage_at,
        map_from_entries(list((slice, peak_bytes))) AS peak_at
    FROM slices
    GROUP BY trial, try_no
)
SELECT
    d.*,
    CASE WHEN s.trial IS NOT NULL
        THEN list_transform(range($slices), lambda slice: s.usage_at[slice])
    END AS usage_bytes,
    CASE WHEN s.trial IS NOT NULL
        THEN list_transform(range($slices), lambda slice: s.peak_at[slice])
    END AS peak_bytes
FROM spark_due AS d
LEFT JOIN sampled AS s ON s.trial = d.trial AND s.try_no = d.try_no
