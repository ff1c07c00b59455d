-- Who among the staged lines says that something is pruned, and what?
SELECT source, seq, json_transform(data, '{"ranges": [
    {"source": "VARCHAR", "first": "BIGINT", "last": "BIGINT"}
]}').ranges AS ranges
FROM incoming
WHERE known AND type = 'log.pruned'
