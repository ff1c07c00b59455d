-- How many trials of a sweep fit the filters (but the one by cause), by what they ended in?
SELECT coalesce(cause, state) AS ended_in, count(*) AS trials
FROM listed_trial
WHERE sweep = $sweep
    AND ($agents IS NULL OR list_contains($agents::VARCHAR[], contestant))
    AND ($conditions IS NULL OR list_contains($conditions::VARCHAR[], "condition"))
    AND ($tasks IS NULL OR list_contains($tasks::VARCHAR[], task))
    AND (
        $text IS NULL
        OR contains(
            lower(concat_ws(
                ' ', trial, task, contestant, host, cause, says, kill_victim, kill_command
            )),
            lower($text)
        )
    )
GROUP BY ALL
ORDER BY trials DESC, ended_in
