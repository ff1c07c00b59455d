-- How many tries of a sweep have begun and not ended, and since when? Their earliest beginning bounds
-- what live_lanes has to look at.
SELECT
    count(DISTINCT (b.trial, b.try_no)) AS begun,
    min(b.t_us) AS first_t_us,
    max(b.t_us) AS last_t_us
FROM trial_started AS b
ANTI JOIN trial_finished AS e ON e.trial = b.trial AND e.try_no = b.try_no
WHERE b.sweep = $sweep AND b.trial IS NOT NULL AND b.try_no IS NOT NULL
