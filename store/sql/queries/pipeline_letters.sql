-- Why are pieces of the log no events, and where is the first of each kind?
SELECT reason, count(*) AS pieces, min(stream) AS stream, min("offset") AS "offset"
FROM dead_letter
GROUP BY reason
ORDER BY pieces DESC, reason
LIMIT $most
