-- Of one sweep, how many outcomes of each contestant under each condition have which cause, counted as what?
SELECT model, agent, "condition", cause, counts_as, count(*) AS trials
FROM judged_try
WHERE sweep = $sweep AND outcome
GROUP BY ALL
ORDER BY "condition", agent, model NULLS FIRST, cause, counts_as;
