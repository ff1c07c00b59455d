-- Note the first judged tries, in order of time, that have no spark.
CREATE OR REPLACE TEMP TABLE spark_due AS
SELECT j.trial, j.try_no, j.started_t_us, j.finished_t_us
FROM judged_try AS j
ANTI JOIN try_spark AS t ON t.trial = j.trial AND t.try_no = j.try_no
ORDER BY j.started_t_us, j.trial, j.try_no
LIMIT $most
