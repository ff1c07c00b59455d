-- Which runs of seqs of each source do the tables hold, and how many rows are that?
SELECT source, min(seq) AS first, max(seq) AS last, sum(times)::BIGINT AS events
FROM (
    SELECT source, seq, times, seq - row_number() OVER (PARTITION BY source ORDER BY seq) AS island
    FROM (SELECT source, seq, count(*) AS times FROM held GROUP BY source, seq)
)
GROUP BY source, island
ORDER BY source, first
