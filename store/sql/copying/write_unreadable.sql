-- Write the pieces that are no events and may be the sweep's.
COPY (
    SELECT stream, raw AS line
    FROM unreadable
    WHERE (SELECT alone FROM bounds) OR source IN (SELECT source FROM writer WHERE ours)
) TO $path (FORMAT parquet, COMPRESSION zstd)
