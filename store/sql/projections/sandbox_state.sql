-- Which states a sandbox went through, as its driver reports.
INSERT INTO sandbox_state
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.state,
    d.reason,
    d.message,
    d.exit_code,
    d.restart_count
FROM (
    SELECT *, json_transform(data, '{
        "state": "VARCHAR",
        "reason": "VARCHAR",
        "message": "VARCHAR",
        "exit_code": "BIGINT",
        "restart_count": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'sandbox.state'
);
