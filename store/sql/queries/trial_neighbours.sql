-- How many other tries ran on a host in each of so many slices between two moments?
WITH begun AS (
    SELECT trial, try_no, min(t_us) AS started_t_us
    FROM trial_started
    WHERE host = $host AND t_us <= $high_us
    GROUP BY trial, try_no
),
ended AS (
    SELECT trial, try_no, min(t_us) AS finished_t_us
    FROM trial_finished
    GROUP BY trial, try_no
),
others AS (
    SELECT
        b.started_t_us,
        e.finished_t_us
    FROM begun AS b
    LEFT JOIN ended AS e ON e.trial = b.trial AND e.try_no = b.try_no
    WHERE (b.trial <> $trial OR b.try_no <> $try_no)
        AND coalesce(e.finished_t_us, $high_us) >= $low_us
),
changes AS (
    SELECT greatest(0, ((started_t_us - $low_us) * $slices) // ($high_us - $low_us + 1)) AS slice,
        1 AS change
    FROM others
    UNION ALL
    SELECT ((finished_t_us - $low_us) * $slices) // ($high_us - $low_us + 1) + 1, -1
    FROM others
    WHERE finished_t_us <= $high_us
),
slices AS (
    SELECT r.slice, coalesce(sum(c.change), 0) AS change
    FROM range($slices) AS r (slice)
    LEFT JOIN changes AS c ON c.slice = r.slice
    GROUP BY r.slice
)
SELECT
    $low_us + slice * ($high_us - $low_us + 1) // $slices AS t_us,
    (sum(change) OVER (ORDER BY slice))::BIGINT AS running
FROM slices
ORDER BY slice
