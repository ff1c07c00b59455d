-- Which lines of the batch are to be dropped?
SELECT other, CASE WHEN other THEN ordinal ELSE place END AS position
FROM arrival
WHERE duplicate
