-- Which pieces that are no events does a copy hold?
SELECT line FROM read_parquet($path)
