-- Note how far the loader is with some sources. Delete and insert, because a lake has no keys to replace by.
DELETE FROM source_progress WHERE list_contains($sources::VARCHAR[], source);
INSERT INTO source_progress SELECT unnest($sources::VARCHAR[]), unnest($next_seqs::UBIGINT[]);
