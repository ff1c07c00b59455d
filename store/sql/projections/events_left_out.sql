-- Events that a copy of a sweep does not have.
INSERT INTO events_left_out
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.sweep_copied,
    d.reason,
    d.ranges
FROM (
    SELECT *, json_transform(data, '{
        "sweep_copied": "VARCHAR",
        "reason": "VARCHAR",
        "ranges": "JSON"
    }') AS d
    FROM incoming
    WHERE known AND type = 'events.left_out'
);
