-- Note which tries got samples from that number on.
CREATE OR REPLACE TEMP TABLE spark_late AS
SELECT trial, try_no, max(rowid) + 1 AS samples
FROM sample
WHERE rowid >= $looked_at
GROUP BY trial, try_no
