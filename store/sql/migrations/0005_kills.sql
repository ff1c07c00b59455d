-- View of OOM kills: one row a kill, described as well as any observer could, joined to its command and phase.

CREATE VIEW kill AS
WITH best AS (
    -- Several observers may report one kill; the fullest description wins, then the earliest.
    SELECT *, coalesce(killed_t_us, read_after_t_us, t_us) AS at_us
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
placed AS (
    -- A ceiling that is not the sandbox's own is a parent's cap or the host's memory.
    SELECT
        k.*,
        CASE
            WHEN k."constraint" <> 'CONSTRAINT_MEMCG' THEN true
            WHEN k.oom_cgroup = s.cgroup_path THEN false
            WHEN starts_with(k.oom_cgroup, s.cgroup_path || '/') THEN false
            WHEN k.oom_cgroup = '/' THEN true
            WHEN starts_with(s.cgroup_path, k.oom_cgroup || '/') THEN true
        END AS by_parent
    FROM best AS k
    LEFT JOIN sandbox AS s
        ON s.trial = k.trial AND s.try_no = k.try_no AND s.target IS NOT DISTINCT FROM k.target
),
joined AS (
    -- The victim's session is its command's. Where no command has that session, one that ran
    -- at that moment is the best guess, and is said to be one. A pid can come again, so the
    -- latest start counts.
    SELECT
        k.*,
        e.phase AS exec_phase,
        e.ordinal AS exec_ordinal,
        e.command,
        e.command_digest,
        CASE
            WHEN e.trial IS NULL THEN NULL
            WHEN e.pid = k.victim_session_pid THEN 'session'
            ELSE 'time'
        END AS joined_by
    FROM placed AS k
    LEFT JOIN exec_finished AS e
        ON e.trial = k.trial
        AND e.try_no = k.try_no
        AND e.started_t_us <= k.at_us
        AND (
            e.pid = k.victim_session_pid
            OR k.at_us <= e.started_t_us + 1000000 * e.duration_s + 200000
        )
    QUALIFY row_number() OVER (
        PARTITION BY k.source, k.seq
        ORDER BY
            (e.pid = k.victim_session_pid) IS TRUE DESC, e.started_t_us DESC NULLS LAST,
            e.ordinal DESC, e.source, e.seq
    ) = 1
)
SELECT
    * EXCLUDE (exec_phase),
    coalesce(exec_phase, (
        SELECT arg_max(p.phase, p.t_us)
        FROM phase_started AS p
        WHERE p.trial = joined.trial AND p.try_no = joined.try_no AND p.t_us <= joined.at_us
    )) AS phase
FROM joined;
