-- What is missing of some sources?
SELECT source, first, last FROM gap WHERE source IN (SELECT unnest($sources))
