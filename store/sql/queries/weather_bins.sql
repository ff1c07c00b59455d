-- How many tries ended in each slice of a window, by cause? Every end in the window is in one slice, so
-- the counts add up to them; a try that is not judged yet has no cause.
WITH ends AS (
    SELECT trial, try_no, min(t_us) AS finished_t_us
    FROM trial_finished
    WHERE sweep = $sweep
    GROUP BY trial, try_no
)
SELECT
    (e.finished_t_us - $from_us) // $bin_us AS slice,
    j.cause,
    count(*) AS tries
FROM ends AS e
LEFT JOIN judged_try AS j ON j.trial = e.trial AND j.try_no = e.try_no
WHERE e.finished_t_us BETWEEN $from_us AND $to_us
GROUP BY ALL
ORDER BY slice, j.cause
