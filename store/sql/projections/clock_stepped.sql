-- When a wall clock moved against the monotonic one.
INSERT INTO clock_stepped
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.step_us
FROM (
    SELECT *, json_transform(data, '{
        "step_us": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'clock.stepped'
);
