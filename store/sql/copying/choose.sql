-- Say which lines the answers about a sweep need: its own, and of those without a sweep what its writers
-- said, what was said of its hosts while it ran, and what explains why its writers' numbers have gaps.
CREATE OR REPLACE TABLE writer AS
SELECT
    source,
    coalesce(bool_or(sweep = $sweep), false) AS ours,
    coalesce(bool_or(sweep <> $sweep), false) AS others,
    min(t_us) AS first_us,
    max(t_us) AS last_us
FROM line
GROUP BY source;

CREATE OR REPLACE TABLE bounds AS
SELECT
    min(t_us) FILTER (WHERE sweep = $sweep) AS low_us,
    max(t_us) FILTER (WHERE sweep = $sweep) AS high_us,
    coalesce(bool_and(sweep = $sweep), false) AS alone
FROM line;

CREATE OR REPLACE TABLE stands_on AS
SELECT l.source, json_extract_string(l.text, '$.data.host') AS host
FROM line AS l
WHERE l.type = 'host.info' AND l.text IS NOT NULL AND json_valid(l.text);

CREATE OR REPLACE TABLE our_host AS
SELECT DISTINCT host
FROM (
    SELECT h.host FROM stands_on AS h SEMI JOIN writer AS w ON w.source = h.source AND w.ours
    UNION ALL
    SELECT json_extract_string(text, '$.data.host')
    FROM line
    WHERE sweep = $sweep AND type IN ('sweep.started', 'trial.started') AND json_valid(text)
)
WHERE host IS NOT NULL;

CREATE OR REPLACE TABLE beside AS
SELECT DISTINCT h.source FROM stands_on AS h SEMI JOIN our_host AS o ON o.host = h.host;

CREATE OR REPLACE TABLE needed AS
WITH said AS (
    SELECT ordinal, type, json_transform(text, '{"data": {
        "host": "VARCHAR", "from_t_us": "BIGINT", "to_t_us": "BIGINT",
        "ranges": [{"source": "VARCHAR"}]
    }}').data AS d
    FROM line
    WHERE sweep IS NULL
        AND type IN (
            'note.added', 'samples.thinned', 'events.refused', 'events.left_out', 'log.pruned'
        )
        AND json_valid(text)
)
SELECT DISTINCT ordinal
FROM said, bounds AS b
WHERE
    CASE WHEN type = 'note.added'
        THEN (d.host IS NULL OR d.host IN (SELECT host FROM our_host))
            AND (d.from_t_us IS NULL OR (d.from_t_us <= b.high_us AND d.to_t_us >= b.low_us))
            AND (d.host IS NOT NULL OR d.from_t_us IS NOT NULL)
        ELSE coalesce(list_has_any(
            list_transform(d.ranges, lambda r: r.source),
            (SELECT list(source) FROM writer WHERE ours)
        ), false)
    END;

CREATE OR REPLACE VIEW chosen AS
SELECT l.*
FROM line AS l
JOIN writer AS w ON w.source = l.source
LEFT JOIN beside AS s ON s.source = l.source
LEFT JOIN needed AS n ON n.ordinal = l.ordinal
CROSS JOIN bounds AS b
WHERE l.sweep = $sweep
    OR (
        l.sweep IS NULL
        AND (
            b.alone
            OR (w.ours AND NOT w.others)
            OR (
                (w.ours OR (s.source IS NOT NULL AND NOT w.others))
                AND (
                    l.t_us BETWEEN b.low_us AND b.high_us
                    OR (
                        l.type = 'host.info'
                        AND w.first_us <= b.high_us
                        AND w.last_us >= b.low_us
                    )
                )
                AND l.type <> 'note.added'
            )
            OR n.ordinal IS NOT NULL
        )
    );
