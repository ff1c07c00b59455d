-- Which shapes do the lines have that nobody has looked at yet, and which lines have each?
-- In any order: lines of one shape are right or wrong together.
SELECT type, v, shape, enumerated::VARCHAR AS enumerated, list(ordinal) AS lines
FROM incoming
WHERE shape IS NOT NULL
GROUP BY ALL
