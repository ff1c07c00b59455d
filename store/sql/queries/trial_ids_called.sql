-- Which ids of trials may a user mean by this text: a prefix of the id, or the name of a try's task?
SELECT DISTINCT trial
FROM trial_started
WHERE trial = $text
    OR task = $text
    OR (length($text) >= 3 AND starts_with(trial, lower($text)))
ORDER BY trial
