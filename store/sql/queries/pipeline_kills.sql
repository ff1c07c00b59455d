-- How many kills did the kernels count, and how many were told of, in slices of time? Both lines add up
-- over the slices; where they part, somebody was killed whom nobody names.
WITH firsts AS (
    -- A source's counter only grows, so a value's first reading is the one at which it grew.
    SELECT source, oom_kill_total, min(t_us) AS t_us, min(seq) AS seq
    FROM host_sample
    WHERE oom_kill_total IS NOT NULL
    GROUP BY source, oom_kill_total
),
readings AS (
    SELECT
        s.t_us,
        s.oom_kill_total - lag(s.oom_kill_total) OVER (
            PARTITION BY coalesce(i.host, s.source) ORDER BY s.t_us, s.source, s.seq
        ) AS more
    FROM firsts AS s
    LEFT JOIN (SELECT DISTINCT source, host FROM host_info) AS i ON i.source = s.source
),
ours AS (
    SELECT
        min(coalesce(killed_t_us, read_after_t_us, t_us)) AS t_us,
        max(victim_pid) AS victim_pid
    FROM oom_kill
    GROUP BY trial, try_no, target, ordinal
),
others AS (
    -- Every collector of a machine reads the same kernel log.
    SELECT min(t_us) AS t_us, victim_pid, min(t_us - mono_us + kernel_us) AS killed_t_us
    FROM host_oom_kill
    GROUP BY kernel_us, victim_pid, CASE WHEN kernel_us IS NULL THEN source || seq END
),
told AS (
    SELECT t_us FROM ours
    UNION ALL
    SELECT o.t_us
    FROM others AS o
    ANTI JOIN ours AS k
        -- A target of one collector is a stranger's to another: see host_kills.
        ON k.victim_pid = o.victim_pid AND abs(k.t_us - o.killed_t_us) < 300_000_000
)
SELECT 'counted' AS kind, (t_us - $from_us) // $bin_us AS slice, sum(more)::BIGINT AS kills
FROM readings
WHERE more > 0 AND t_us BETWEEN $from_us AND $to_us
GROUP BY slice
UNION ALL
SELECT 'told', (t_us - $from_us) // $bin_us AS slice, count(*)
FROM told
WHERE t_us BETWEEN $from_us AND $to_us
GROUP BY slice
ORDER BY kind, slice
