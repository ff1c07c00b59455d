-- Which lines does a copy hold, as they stand in it?
SELECT source, seq, line FROM read_parquet($path)
