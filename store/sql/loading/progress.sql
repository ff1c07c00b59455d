-- How far is the loader with some sources? A list is looked through, because a join of so few costs more.
SELECT source, next_seq FROM source_progress WHERE list_contains($sources::VARCHAR[], source)
