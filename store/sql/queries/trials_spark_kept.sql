-- Of which of these tries is the memory in small kept, and how did it go? Cut at the moments that are
-- asked about, or it is another try's by now.
WITH asked AS (
    SELECT
        unnest($trials::VARCHAR[]) AS trial,
        unnest($tries::BIGINT[]) AS try_no,
        unnest($starts_us::BIGINT[]) AS started_t_us,
        unnest($ends_us::BIGINT[]) AS finished_t_us
)
SELECT t.trial, t.try_no, t.usage_bytes, t.peak_bytes
FROM try_spark AS t
SEMI JOIN asked AS a
    ON a.trial = t.trial
    AND a.try_no = t.try_no
    AND a.started_t_us = t.started_t_us
    AND a.finished_t_us = t.finished_t_us
WHERE t.trial IN $trials
ORDER BY t.trial, t.try_no
