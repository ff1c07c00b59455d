-- Which seqs did no broker take?
SELECT DISTINCT r.source, r.first, r.last
FROM (
    SELECT unnest(json_transform(
        ranges, '[{"source": "VARCHAR", "first": "BIGINT", "last": "BIGINT"}]'
    )) AS r
    FROM events_refused
)
ORDER BY ALL
