-- Which seqs were given up on purpose?
SELECT DISTINCT r.source, r.first, r.last
FROM (
    SELECT unnest(json_transform(
        ranges, '[{"source": "VARCHAR", "first": "BIGINT", "last": "BIGINT"}]'
    )) AS r
    FROM samples_thinned
)
ORDER BY ALL
