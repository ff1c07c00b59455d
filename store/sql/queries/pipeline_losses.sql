-- When was something missed, given up, or told by a clock that stepped, in slices of time? amount is
-- ticks, samples, or microseconds of the largest step.
SELECT 'missed ticks' AS kind, (t_us - $from_us) // $bin_us AS slice, sum(ticks)::BIGINT AS amount
FROM tick_missed
WHERE t_us BETWEEN $from_us AND $to_us
GROUP BY slice
UNION ALL
SELECT 'samples given up', (t_us - $from_us) // $bin_us AS slice, sum(dropped)::BIGINT
FROM samples_thinned
WHERE t_us BETWEEN $from_us AND $to_us AND dropped IS NOT NULL
GROUP BY slice
UNION ALL
SELECT 'clock steps', (t_us - $from_us) // $bin_us AS slice, arg_max(step_us, abs(step_us))
FROM clock_stepped
WHERE t_us BETWEEN $from_us AND $to_us
GROUP BY slice
ORDER BY kind, slice
