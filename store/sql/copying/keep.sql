-- Keep the lines that were read.
INSERT INTO line
SELECT ordinal, type, source, seq, t_us, sweep, CASE WHEN coalesce(sweep = $sweep, true) THEN text END
FROM sifted
WHERE source <> ''
