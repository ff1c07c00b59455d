-- One past the number of the newest sample. Samples are only ever added, so they are numbered.
SELECT coalesce(max(rowid) + 1, 0) FROM sample
