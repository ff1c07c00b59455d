-- Which seqs did no stream have (yet)?
SELECT source, first, last FROM gap ORDER BY source, first
