-- Which tries run now, in which phase, with how much memory under which ceiling, and what was heard
-- of them last? One page of those that the filters leave, tightest against their ceiling first: by the
-- highest peak so far, which never falls, so that lanes do not jump about from one look to the next.
-- Nothing before $since_us is looked at, and no sample before $samples_us: both are numbers, so that
-- whole blocks of older rows are skipped by their lowest and highest time.
WITH running AS (
    SELECT b.*
    FROM trial_started AS b
    ANTI JOIN trial_finished AS e ON e.trial = b.trial AND e.try_no = b.try_no
    WHERE b.t_us >= $since_us AND b.sweep = $sweep
        AND b.trial IS NOT NULL AND b.try_no IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY b.trial, b.try_no ORDER BY b.t_us, b.source, b.seq
    ) = 1
),
phases AS (
    SELECT p.trial, p.try_no, arg_max(p.phase, (p.t_us, p.seq)) AS phase, max(p.t_us) AS t_us
    FROM phase_started AS p
    SEMI JOIN running AS r ON r.trial = p.trial AND r.try_no = p.try_no
    WHERE p.t_us >= $since_us
    GROUP BY p.trial, p.try_no
),
commands AS (
    SELECT
        c.trial,
        c.try_no,
        arg_max(left(c.command, 200), (c.t_us, c.seq)) AS command,
        arg_max(c.how, (c.t_us, c.seq)) AS how,
        max(c.t_us) AS t_us
    FROM exec_finished AS c
    SEMI JOIN running AS r ON r.trial = c.trial AND r.try_no = c.try_no
    WHERE c.t_us >= $since_us
    GROUP BY c.trial, c.try_no
),
boxes AS (
    SELECT
        s.trial,
        s.try_no,
        arg_max(s.applied_memory_ceiling_bytes, (s.t_us, s.seq)) AS ceiling_bytes,
        arg_max(s.parent_cap_bytes, (s.t_us, s.seq)) AS parent_cap_bytes,
        max(s.t_us) AS t_us
    FROM sandbox_created AS s
    SEMI JOIN running AS r ON r.trial = s.trial AND r.try_no = s.try_no
    WHERE s.t_us >= $since_us
    GROUP BY s.trial, s.try_no
),
used AS (
    SELECT
        s.trial,
        s.try_no,
        arg_max(s.usage_bytes, s.t_us) AS usage_bytes,
        max(s.peak_bytes) AS peak_bytes,
        max(s.t_us) AS t_us
    FROM sample AS s
    SEMI JOIN running AS r ON r.trial = s.trial AND r.try_no = s.try_no
    WHERE s.t_us >= $samples_us
    GROUP BY s.trial, s.try_no
),
kills AS (
    SELECT
        k.trial,
        k.try_no,
        count(DISTINCT (k.target, k.ordinal)) AS kills,
        arg_max(k.victim_comm, (k.t_us, k.seq)) AS victim,
        max(coalesce(k.killed_t_us, k.read_after_t_us, k.t_us)) AS t_us
    FROM oom_kill AS k
    SEMI JOIN running AS r ON r.trial = k.trial AND r.try_no = k.try_no
    WHERE k.t_us >= $since_us
    GROUP BY k.trial, k.try_no
),
lanes AS (
    SELECT
        r.trial, r.try_no, r.task, r.agent, r."condition", r.attempt, r.host, r.source,
        r.t_us AS started_t_us,
        p.phase,
        p.t_us AS phase_started_t_us,
        u.usage_bytes,
        u.peak_bytes,
        b.ceiling_bytes,
        b.parent_cap_bytes,
        u.t_us AS sampled_t_us,
        coalesce(k.kills, 0) AS kills,
        CASE greatest(r.t_us, p.t_us, c.t_us, k.t_us, b.t_us)
            WHEN k.t_us THEN 'kill'
            WHEN c.t_us THEN 'command'
            WHEN p.t_us THEN 'phase'
            WHEN b.t_us THEN 'sandbox'
            ELSE 'begun'
        END AS last_kind,
        CASE greatest(r.t_us, p.t_us, c.t_us, k.t_us, b.t_us)
            WHEN k.t_us THEN k.victim
            WHEN c.t_us THEN c.command
            WHEN p.t_us THEN p.phase
        END AS last_what,
        CASE WHEN greatest(r.t_us, p.t_us, c.t_us, k.t_us, b.t_us) = c.t_us THEN c.how END
            AS last_how,
        greatest(r.t_us, p.t_us, c.t_us, k.t_us, b.t_us) AS last_t_us,
        coalesce(greatest(u.peak_bytes, u.usage_bytes) / b.ceiling_bytes, -1) AS share
    FROM running AS r
    LEFT JOIN phases AS p ON p.trial = r.trial AND p.try_no = r.try_no
    LEFT JOIN commands AS c ON c.trial = r.trial AND c.try_no = r.try_no
    LEFT JOIN boxes AS b ON b.trial = r.trial AND b.try_no = r.try_no
    LEFT JOIN used AS u ON u.trial = r.trial AND u.try_no = r.try_no
    LEFT JOIN kills AS k ON k.trial = r.trial AND k.try_no = r.try_no
),
wanted AS (
    SELECT
        *,
        ($text IS NULL OR contains(lower(task), lower($text)) OR starts_with(trial, lower($text)))
        AND (len($agents) = 0 OR list_contains($agents, agent))
        AND (len($conditions) = 0 OR list_contains($conditions, "condition"))
        AND (len($phases) = 0 OR list_contains($phases, coalesce(phase, 'beginning')))
            AS shown
    FROM lanes
)
SELECT
    * EXCLUDE (shown, share),
    count(*) OVER () AS matching
FROM wanted
WHERE shown
ORDER BY share DESC, peak_bytes DESC NULLS LAST, started_t_us, trial, try_no
LIMIT $most OFFSET $skip
