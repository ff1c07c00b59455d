-- Have DuckDB use so many threads from now on.
SET threads = $threads
