-- Which shapes do the lines have that nobody has looked at yet, and which lines have each?
SELECT type, v, shape, enumerated::VARCHAR AS enumerated, list(ordinal ORDER BY ordinal) AS lines
FROM incoming
WHERE shape IS NOT NULL
GROUP BY ALL
ORDER BY min(ordinal)
