-- Which runs of seqs are left of the batch when its duplicates are dropped?
SELECT source, min(seq) AS first, max(seq) AS last, count(*) AS events
FROM (
    SELECT source, seq, seq - row_number() OVER (PARTITION BY source ORDER BY seq) AS island
    FROM arrival
    WHERE NOT duplicate
)
GROUP BY source, island
