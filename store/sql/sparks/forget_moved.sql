-- Drop the sparks of tries that have no verdict, or begin or end at another moment now.
DELETE FROM try_spark AS t
WHERE NOT EXISTS (
    SELECT 1
    FROM judged_try AS j
    WHERE j.trial = t.trial
        AND j.try_no = t.try_no
        AND j.started_t_us = t.started_t_us
        AND j.finished_t_us = t.finished_t_us
)
