-- Which pieces of the log are no events, and why?
SELECT stream, "offset", part, reason, size_bytes, raw, source, seq
FROM dead_letter
ORDER BY stream, "offset", part
LIMIT $limit
