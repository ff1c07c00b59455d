-- How many threads has DuckDB?
SELECT current_setting('threads')::BIGINT
