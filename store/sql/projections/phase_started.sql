-- When each phase of a try began, and its time limit.
INSERT INTO phase_started
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.phase,
    d.limit_s
FROM (
    SELECT *, json_transform(data, '{
        "phase": "VARCHAR",
        "limit_s": "DOUBLE"
    }') AS d
    FROM incoming
    WHERE known AND type = 'phase.started'
);
