-- Which probes could not work, and why.
INSERT INTO probe_unavailable
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.probe,
    d.reason
FROM (
    SELECT *, json_transform(data, '{
        "probe": "VARCHAR",
        "reason": "VARCHAR"
    }') AS d
    FROM incoming
    WHERE known AND type = 'probe.unavailable'
);
