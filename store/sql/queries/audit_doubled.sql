-- Which events are in the tables more than once?
SELECT source, seq
FROM held
GROUP BY source, seq
HAVING count(*) > 1
ORDER BY source, seq
