-- Drop the sparks of tries that got samples since.
DELETE FROM try_spark AS t
WHERE EXISTS (
    SELECT 1 FROM spark_late AS s WHERE s.trial = t.trial AND s.try_no = t.try_no
)
