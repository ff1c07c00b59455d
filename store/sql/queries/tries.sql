-- Which tries of a sweep (or of one trial) have ended, and what is the evidence about each?
SELECT *
FROM evidence
WHERE ($sweep IS NULL OR sweep = $sweep)
    AND ($trial IS NULL OR trial = $trial)
    AND (outcome OR NOT $outcomes_only)
ORDER BY started_t_us, trial, try_no
