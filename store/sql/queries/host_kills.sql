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
best AS (
    -- As the view kill chooses among several reports of one kill; what that joins to each (its
    -- command, its phase) is not asked for here.
    SELECT
        trial, try_no, source, victim_pid,
        coalesce(killed_t_us, read_after_t_us, t_us) AS at_us
    FROM oom_kill
    QUALIFY row_number() OVER (
        PARTITION BY trial, try_no, target, ordinal
        ORDER BY
            (victim_pid IS NOT NULL)::INT + (victim_session_pid IS NOT NULL)::INT
            + (victim_comm IS NOT NULL)::INT + (victim_rss_bytes IS NOT NULL)::INT
            + (victim_anon_bytes IS NOT NULL)::INT + (killed_t_us IS NOT NULL)::INT
            + ("constraint" IS NOT NULL)::INT + (oom_cgroup IS NOT NULL)::INT
            + (task_cgroup IS NOT NULL)::INT + (limit_bytes IS NOT NULL)::INT DESC,
            t_us, source, seq
    ) = 1
),
begun AS (
    SELECT b.trial, b.try_no, first(b.host ORDER BY b.t_us, b.source, b.seq) AS host
    FROM trial_started AS b
    SEMI JOIN best AS k ON k.trial = b.trial AND k.try_no = b.try_no
    GROUP BY b.trial, b.try_no
),
placed AS (
    -- Where the collector was gone, the runner told of the kill: then the try has the host.
    SELECT k.at_us, k.victim_pid, coalesce(i.host, b.host) AS host
    FROM best AS k
    LEFT JOIN (SELECT DISTINCT source, host FROM host_info) AS i ON i.source = k.source
    LEFT JOIN begun AS b ON b.trial = k.trial AND b.try_no = k.try_no
),
ours AS (
    SELECT
        w.host,
        count(*) FILTER (WHERE k.at_us BETWEEN w.first_t_us AND w.last_t_us) AS inside,
        count(*) AS total
    FROM windows AS w
    JOIN placed AS k ON k.host = w.host
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
    -- Of two collectors on a machine one has the victim's cgroup for a target, the other has not
    -- and gives the kill to others. The kernel's clock begins with the monotonic one and is
    -- minutes beside it after weeks; by then a pid may be another's, but not one that is killed.
    ANTI JOIN placed AS k
        ON k.host = w.host AND k.victim_pid = o.victim_pid
        AND abs(k.at_us - (o.t_us - o.mono_us + o.kernel_us)) < 300_000_000
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
