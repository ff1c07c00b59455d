-- Keep what is no event, whole.
INSERT INTO dead_letter
SELECT stream, "offset", part, reason, size_bytes, from_base64(raw) AS raw, source, seq
FROM read_ndjson(
    $lines,
    columns = {
        stream: 'VARCHAR', "offset": 'BIGINT', part: 'BIGINT', reason: 'VARCHAR',
        size_bytes: 'BIGINT', raw: 'VARCHAR', source: 'VARCHAR', seq: 'BIGINT'
    },
    records = 'true',
    compression = 'uncompressed',
    maximum_object_size = $longest
)
