-- Which ceiling did the tries of each condition of a sweep have, as a multiple of the tasks' spec?
SELECT
    "condition",
    median(ceiling_multiple) AS multiple,
    min(ceiling_multiple) AS least_multiple,
    max(ceiling_multiple) AS most_multiple,
    min(ceiling_bytes) AS least_bytes,
    max(ceiling_bytes) AS most_bytes,
    count(*) AS tries
FROM judged_try
WHERE sweep = $sweep
GROUP BY ALL
ORDER BY multiple NULLS LAST, "condition";
