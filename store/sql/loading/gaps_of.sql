-- What is missing of some sources?
SELECT source, first, last FROM gap WHERE list_contains($sources::VARCHAR[], source)
