-- How far is the loader with some sources?
SELECT source, next_seq FROM source_progress WHERE source IN (SELECT unnest($sources))
