-- Lines that no broker takes; they stay in their journal.
INSERT INTO events_refused
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.reason,
    d.ranges,
    d.stream,
    d."offset",
    d.size_bytes
FROM (
    SELECT *, json_transform(data, '{
        "reason": "VARCHAR",
        "ranges": "JSON",
        "stream": "VARCHAR",
        "offset": "BIGINT",
        "size_bytes": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'events.refused'
);
