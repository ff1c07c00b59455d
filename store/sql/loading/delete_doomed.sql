-- Delete the rows of one table that go. "a_table" stands for its name; runs of one source do not overlap.
DELETE FROM a_table
WHERE rowid IN (
    SELECT t.rowid
    FROM a_table AS t
    ASOF JOIN doomed AS d ON t.source = d.source AND t.seq >= d.first
    WHERE t.seq <= d.last
)
