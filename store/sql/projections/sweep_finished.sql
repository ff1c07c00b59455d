-- When and why each campaign process ended.
INSERT INTO sweep_finished
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.reason,
    d.trials_ended,
    d.message
FROM (
    SELECT *, json_transform(data, '{
        "reason": "VARCHAR",
        "trials_ended": "BIGINT",
        "message": "VARCHAR"
    }') AS d
    FROM incoming
    WHERE known AND type = 'sweep.finished'
);
