-- Which tries run now (begun, not ended), in which phase, and with how much memory?
WITH running AS (
    SELECT t.*
    FROM trial_try AS t
    WHERE t.finished_t_us IS NULL AND ($sweep IS NULL OR t.sweep = $sweep)
),
phases AS (
    SELECT
        trial, try_no, last(phase ORDER BY t_us, seq) AS phase, max(t_us) AS t_us
    FROM phase_started
    GROUP BY trial, try_no
),
used AS (
    SELECT
        s.trial,
        s.try_no,
        last(s.usage_bytes ORDER BY s.t_us, s.seq) AS usage_bytes,
        max(s.peak_bytes) AS peak_bytes,
        max(s.t_us) AS t_us
    FROM sample AS s
    SEMI JOIN running AS r ON r.trial = s.trial AND r.try_no = s.try_no
    GROUP BY s.trial, s.try_no
),
kills AS (
    SELECT trial, try_no, count(DISTINCT (target, ordinal)) AS kills
    FROM oom_kill
    GROUP BY trial, try_no
)
SELECT
    r.sweep, r.trial, r.try_no, r.task, r.agent, r."condition", r.host, r.started_t_us,
    p.phase,
    p.t_us AS phase_started_t_us,
    u.usage_bytes,
    u.peak_bytes,
    b.applied_memory_ceiling_bytes AS ceiling_bytes,
    coalesce(k.kills, 0) AS kills,
    u.t_us AS last_t_us
FROM running AS r
LEFT JOIN phases AS p ON p.trial = r.trial AND p.try_no = r.try_no
LEFT JOIN used AS u ON u.trial = r.trial AND u.try_no = r.try_no
LEFT JOIN kills AS k ON k.trial = r.trial AND k.try_no = r.try_no
LEFT JOIN sandbox AS b ON b.trial = r.trial AND b.try_no = r.try_no
ORDER BY r.started_t_us, r.trial, r.try_no
