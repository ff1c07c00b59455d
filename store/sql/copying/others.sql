-- How many events of other sweeps does the log hold, and how many without a sweep are not needed?
SELECT
    count(*) FILTER (WHERE sweep <> $sweep) AS of_others,
    count(*) FILTER (WHERE sweep IS NULL) - (
        SELECT count(*) FROM chosen WHERE sweep IS NULL
    ) AS not_needed
FROM line
