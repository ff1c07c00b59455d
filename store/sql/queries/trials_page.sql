-- Which trials of a sweep fit the filters, in the order that was asked for, one page of them?
WITH fitting AS (
    SELECT * EXCLUDE (sweep), coalesce(cause, state) AS ended_in
    FROM listed_trial
    WHERE sweep = $sweep
        AND ($agents IS NULL OR list_contains($agents::VARCHAR[], contestant))
        AND ($conditions IS NULL OR list_contains($conditions::VARCHAR[], "condition"))
        AND ($tasks IS NULL OR list_contains($tasks::VARCHAR[], task))
        AND ($causes IS NULL OR list_contains($causes::VARCHAR[], coalesce(cause, state)))
        AND (
            $text IS NULL
            OR contains(
                lower(concat_ws(
                    ' ', trial, task, contestant, host, cause, says, kill_victim, kill_command
                )),
                lower($text)
            )
        )
),
keyed AS (
    SELECT
        *,
        CASE $sort
            WHEN 'task' THEN task
            WHEN 'agent' THEN contestant
            WHEN 'cause' THEN ended_in
            WHEN 'victim' THEN kill_victim
        END AS text_key,
        CASE $sort
            WHEN 'started' THEN started_t_us
            WHEN 'ceiling' THEN coalesce(ceiling_bytes, parent_cap_bytes, 'inf'::DOUBLE)
            WHEN 'attempt' THEN attempt
            WHEN 'reward' THEN reward
            WHEN 'duration' THEN duration_s
            WHEN 'kills' THEN kills
            WHEN 'peak' THEN peak_bytes
            WHEN 'share' THEN peak_bytes / ceiling_bytes
        END::DOUBLE AS number_key
    FROM fitting
)
SELECT * EXCLUDE (ended_in, text_key, number_key)
FROM keyed
ORDER BY
    CASE WHEN $descending THEN text_key END DESC NULLS LAST,
    CASE WHEN NOT $descending THEN text_key END NULLS LAST,
    CASE WHEN $descending THEN -number_key ELSE number_key END NULLS LAST,
    started_t_us DESC,
    trial
LIMIT $limit OFFSET $offset
