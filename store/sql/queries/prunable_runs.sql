-- Which events go with these sweeps, and with what is from before a moment? Without a sweep goes what
-- writers said of whom no other sweep is left, but no word of a person, and nothing that explains other
-- writers' gaps. A run may span seqs that nobody has: their events, too, shall not come any more.
WITH writer AS (
    SELECT
        source,
        coalesce(bool_or(list_contains($sweeps::VARCHAR[], sweep)), false) AS doomed,
        coalesce(bool_or(NOT list_contains($sweeps::VARCHAR[], sweep)), false) AS others
    FROM enveloped
    GROUP BY source
),
marked AS NOT MATERIALIZED (
    SELECT
        e.source,
        e.seq,
        CASE
            WHEN e.type = 'log.pruned' THEN false
            WHEN e.sweep IS NOT NULL THEN list_contains($sweeps::VARCHAR[], e.sweep)
            WHEN w.others OR e.type = 'note.added' THEN false
            WHEN w.doomed THEN true
            WHEN e.type IN ('samples.thinned', 'events.refused', 'events.left_out') THEN false
            ELSE coalesce(e.t_us < $before_t_us, false)
        END AS goes
    FROM enveloped AS e
    JOIN writer AS w ON w.source = e.source
    WHERE w.doomed OR (NOT w.others AND $before_t_us IS NOT NULL)
),
touched AS (
    SELECT
        source,
        min(seq) AS first,
        max(seq) AS last,
        count(*) FILTER (WHERE goes) AS events,
        bool_and(goes) AS whole
    FROM marked
    GROUP BY source
    HAVING bool_or(goes)
)
SELECT source, first, last, events FROM touched WHERE whole
UNION ALL
SELECT source, min(seq) AS first, max(seq) AS last, count(*) AS events
FROM (
    SELECT m.source, m.seq, m.goes, count(*) FILTER (WHERE NOT m.goes) OVER (
        PARTITION BY m.source ORDER BY m.seq
    ) AS island
    FROM marked AS m
    SEMI JOIN touched AS t ON t.source = m.source AND NOT t.whole
)
WHERE goes
GROUP BY source, island
ORDER BY source, first
