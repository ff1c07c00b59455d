-- Does the kernel's own count of OOM kills on each host equal the kills that we can name?
WITH told AS (
    -- A source ends with its host's boot, so its counter only grows: of each of its values the
    -- first reading says all, and a night of readings is a few rows.
    SELECT
        source, oom_kill_total, min(t_us) AS t_us, max(t_us) AS last_t_us, min(seq) AS seq
    FROM host_sample
    WHERE oom_kill_total IS NOT NULL
    GROUP BY source, oom_kill_total
),
readings AS (
    SELECT
        i.host,
        s.source,
        s.t_us,
        s.last_t_us,
        s.oom_kill_total,
        lag(s.oom_kill_total) OVER (
            PARTITION BY i.host ORDER BY s.t_us, s.source, s.seq
        ) AS before
    FROM told AS s
    JOIN (SELECT DISTINCT source, host FROM host_info) AS i ON i.source = s.source
),
windows AS (
    SELECT
        host,
        count(DISTINCT source) AS incarnations,
        min(t_us) AS first_t_us,
        max(last_t_us) AS last_t_us,
        -- The counter begins again at 0 when the host is booted.
        coalesce(sum(CASE
            WHEN before IS NULL THEN 0
            WHEN oom_kill_total < before THEN oom_kill_total
            ELSE oom_kill_total - before
        END), 0)::BIGINT AS counted
    FROM readings
    GROUP BY host
),
ours AS (
    SELECT
        w.host,
        count(*) FILTER (WHERE k.at_us BETWEEN w.first_t_us AND w.last_t_us) AS inside,
        count(*) AS total
    FROM windows AS w
    JOIN (
        -- Where the collector was gone, the runner told of the kill: then the try has the host.
        SELECT kill.at_us, coalesce(i.host, b.host) AS host
        FROM kill
        LEFT JOIN (SELECT DISTINCT source, host FROM host_info) AS i ON i.source = kill.source
        LEFT JOIN try_begun AS b ON b.trial = kill.trial AND b.try_no = kill.try_no
    ) AS k ON k.host = w.host
    GROUP BY w.host
),
others AS (
    SELECT
        w.host,
        count(*) FILTER (WHERE o.t_us BETWEEN w.first_t_us AND w.last_t_us) AS inside
    FROM windows AS w
    JOIN (SELECT DISTINCT source, host FROM host_info) AS i ON i.host = w.host
    JOIN (
        -- A collector that starts anew may tell of the same line of the kernel log again.
        SELECT *
        FROM host_oom_kill
        QUALIFY kernel_us IS NULL OR row_number() OVER (
            PARTITION BY victim_pid, kernel_us ORDER BY t_us, source, seq
        ) = 1
    ) AS o ON o.source = i.source
    GROUP BY w.host
)
SELECT
    w.host,
    w.incarnations,
    w.first_t_us,
    w.last_t_us,
    w.counted,
    coalesce(u.inside, 0) AS attributed,
    coalesce(o.inside, 0) AS "foreign",
    w.counted - coalesce(u.inside, 0) - coalesce(o.inside, 0) AS unclaimed,
    coalesce(u.total - u.inside, 0) AS outside
FROM windows AS w
LEFT JOIN ours AS u ON u.host = w.host
LEFT JOIN others AS o ON o.host = w.host
ORDER BY w.host
