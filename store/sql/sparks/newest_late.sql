-- One past the newest sample of these, or the number that was begun with.
SELECT coalesce(max(samples), $looked_at) FROM spark_late
