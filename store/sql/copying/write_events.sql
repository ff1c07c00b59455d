-- Write the chosen lines, each writer's in their order.
COPY (
    SELECT source, seq, text AS line FROM chosen ORDER BY source, seq, ordinal
) TO $path (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)
