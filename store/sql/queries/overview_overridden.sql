-- How many verdicts of a sweep's outcomes do people say should be others? One row.
SELECT count(DISTINCT trial) AS trials
FROM words JOIN judged_try USING (trial, try_no)
WHERE words.kind = 'override' AND words.counts AND judged_try.outcome AND judged_try.sweep = $sweep
