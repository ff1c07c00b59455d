-- How many sparks are there, and up to which sample were they right when they were made?
SELECT
    (SELECT count(*) FROM try_spark) AS kept,
    (SELECT coalesce(min(samples), 0) FROM spark_upto) AS looked_at
