-- Which of these trials does a user mean by this text: a prefix of the trial's id, or its task's name?
-- The ids go into the view as values, which keeps it from ranking all tries of all trials.
SELECT *
FROM trial
WHERE trial IN $trials
    AND ($sweep IS NULL OR sweep = $sweep)
    AND (
        trial = $text
        OR task = $text
        OR (length($text) >= 3 AND starts_with(trial, lower($text)))
    )
ORDER BY latest_started_t_us, trial
