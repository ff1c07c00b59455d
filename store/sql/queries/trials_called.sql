-- Which trials does a user mean by this text: a prefix of the trial's id, or its task's name?
SELECT *
FROM trial
WHERE ($sweep IS NULL OR sweep = $sweep)
    AND (
        trial = $text
        OR task = $text
        OR (length($text) >= 3 AND starts_with(trial, lower($text)))
    )
ORDER BY latest_started_t_us, trial
