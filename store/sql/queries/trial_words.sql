-- What do people say that holds now of a trial, or of its host or its time while it ran?
WITH spans AS (
    SELECT
        host,
        min(started_t_us) AS from_t_us,
        -- A try without an end runs.
        max(coalesce(finished_t_us, 9223372036854775807)) AS to_t_us
    FROM trial_try
    WHERE trial = $trial
    GROUP BY host
)
SELECT
    w.kind, w.sweep, w.trial, w.try_no, w.host, w.from_t_us, w.to_t_us, w.cause, w.counts_as,
    w.author, w.text, w.t_us, w.counts
FROM words AS w
WHERE w.trial = $trial
    OR (
        w.trial IS NULL
        AND EXISTS (
            SELECT 1
            FROM spans AS s
            WHERE (w.host IS NULL OR w.host = s.host)
                AND (w.from_t_us IS NULL OR w.from_t_us <= s.to_t_us)
                AND (w.to_t_us IS NULL OR w.to_t_us >= s.from_t_us)
        )
    )
ORDER BY w.t_us, w.source, w.seq
