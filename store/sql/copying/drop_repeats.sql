-- Drop lines that say again, letter for letter, what was said.
DELETE FROM line
WHERE rowid IN (
    SELECT l.rowid
    FROM line AS l
    SEMI JOIN (
        SELECT source, seq FROM line GROUP BY source, seq HAVING count(*) > 1
    ) AS twice ON twice.source = l.source AND twice.seq = l.seq
    QUALIFY row_number() OVER (PARTITION BY l.source, l.seq, l.text ORDER BY l.ordinal) > 1
)
