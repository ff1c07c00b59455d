-- Which identities are known of lines that are no events?
SELECT DISTINCT source, seq FROM dead_letter
WHERE source IS NOT NULL AND seq IS NOT NULL
ORDER BY ALL
