-- Keep fields that this version does not know, of events that it does.
INSERT INTO unknown_field
SELECT source, seq, place, name, value
FROM read_ndjson(
    $lines,
    columns = {source: 'VARCHAR', seq: 'BIGINT', place: 'VARCHAR', name: 'VARCHAR', value: 'JSON'},
    records = 'true',
    compression = 'uncompressed',
    maximum_object_size = $longest
)
