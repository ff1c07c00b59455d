-- Which seqs may no table hold any more?
SELECT DISTINCT r.source, r.first, r.last
FROM (
    SELECT unnest(json_transform(
        ranges, '[{"source": "VARCHAR", "first": "BIGINT", "last": "BIGINT"}]'
    )) AS r
    FROM log_pruned
)
ORDER BY ALL
