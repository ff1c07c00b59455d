-- What was planned of a sweep, and how goes its latest campaign?
WITH latest AS (
    SELECT source, host, pid, concurrency, resumed, t_us
    FROM sweep_started
    WHERE sweep = $sweep
    QUALIFY row_number() OVER (ORDER BY t_us DESC, source, seq) = 1
)
SELECT
    p.sweep,
    p.name,
    p.trials,
    l.source,
    l.concurrency,
    l.t_us AS started_t_us,
    e.t_us AS finished_t_us,
    e.reason AS finished_reason
FROM sweep_planned AS p
LEFT JOIN latest AS l ON true
LEFT JOIN sweep_finished AS e ON e.sweep = p.sweep AND e.source = l.source
WHERE p.sweep = $sweep
ORDER BY p.t_us, p.source, p.seq, e.t_us DESC
LIMIT 1
