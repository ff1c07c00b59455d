-- Write one table. "a_question" stands for what it holds.
COPY (
    a_question
) TO $path (FORMAT parquet, COMPRESSION zstd)
