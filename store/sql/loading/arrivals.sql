-- Which lines of a batch are duplicates, of what was loaded before or of an earlier line of the batch, or
-- pruned?
-- Places count samples; a line that is none stands before the sample with its place.
CREATE OR REPLACE TEMP TABLE arrival AS
WITH arrived AS (
    SELECT source, seq, false AS other, row_number() OVER () - 1 AS place, 0 AS ordinal
    FROM read_ndjson(
        $lines,
        columns = {source: 'VARCHAR', seq: 'BIGINT'},
        records = 'true',
        compression = 'uncompressed',
        maximum_object_size = 65536
    )
    UNION ALL
    SELECT i.source, i.seq, true AS other, p.place, i.ordinal
    FROM incoming AS i
    JOIN (
        SELECT unnest($places) AS place, unnest(range(len($places))) AS ordinal
    ) AS p ON p.ordinal = i.ordinal
),
doomed AS (
    SELECT
        unnest($owners::VARCHAR[]) AS source,
        unnest($firsts::BIGINT[]) AS first,
        unnest($lasts::BIGINT[]) AS last
)
SELECT
    a.*,
    (
        (a.seq < p.next_seq AND NOT EXISTS (
            FROM gap AS g WHERE g.source = a.source AND a.seq BETWEEN g.first AND g.last
        )) IS TRUE
        OR row_number() OVER (
            PARTITION BY a.source, a.seq ORDER BY a.place, NOT a.other, a.ordinal
        ) > 1
        OR coalesce(a.seq <= d.last, false)
    ) AS duplicate
FROM arrived AS a
ASOF LEFT JOIN doomed AS d ON d.source = a.source AND a.seq >= d.first
LEFT JOIN source_progress AS p ON p.source = a.source
