-- Which seqs did a copy of a sweep leave out?
SELECT DISTINCT r.source, r.first, r.last
FROM (
    SELECT unnest(json_transform(
        ranges, '[{"source": "VARCHAR", "first": "BIGINT", "last": "BIGINT"}]'
    )) AS r
    FROM events_left_out
)
ORDER BY ALL
