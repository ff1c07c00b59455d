-- When and how each phase of a try ended.
INSERT INTO phase_finished
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.phase,
    d.how,
    d.duration_s,
    d.message
FROM (
    SELECT *, json_transform(data, '{
        "phase": "VARCHAR",
        "how": "VARCHAR",
        "duration_s": "DOUBLE",
        "message": "VARCHAR"
    }') AS d
    FROM incoming
    WHERE known AND type = 'phase.finished'
);
