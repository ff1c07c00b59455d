-- Which events of the chosen lines' writers are not among them?
SELECT source, min(seq) AS first, max(seq) AS last
FROM (
    SELECT source, seq, seq - row_number() OVER (PARTITION BY source ORDER BY seq) AS island
    FROM (
        SELECT source, seq FROM line
        WHERE source IN (SELECT DISTINCT source FROM chosen)
        EXCEPT
        SELECT source, seq FROM chosen
    )
)
GROUP BY source, island
ORDER BY source, first
