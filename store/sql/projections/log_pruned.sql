-- Events that no table may hold any more.
INSERT INTO log_pruned
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.author,
    d.reason,
    d.sweeps,
    d.before_t_us,
    d.ranges,
    d.trials,
    d.events
FROM (
    SELECT *, json_transform(data, '{
        "author": "VARCHAR",
        "reason": "VARCHAR",
        "sweeps": "JSON",
        "before_t_us": "BIGINT",
        "ranges": "JSON",
        "trials": "JSON",
        "events": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'log.pruned'
);
