-- Which samples were given up so that outcomes and kills could still be written.
INSERT INTO samples_thinned
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.reason,
    d.ranges,
    d.dropped,
    d.first_t_us,
    d.last_t_us
FROM (
    SELECT *, json_transform(data, '{
        "reason": "VARCHAR",
        "ranges": "JSON",
        "dropped": "BIGINT",
        "first_t_us": "BIGINT",
        "last_t_us": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'samples.thinned'
);
