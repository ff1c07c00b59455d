-- Which commands ran in a sandbox, when, and how they ended.
INSERT INTO exec_finished
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.phase,
    d.ordinal,
    d.command,
    d.command_digest,
    d.command_truncated,
    d.started_t_us,
    d.duration_s,
    d.how,
    d.exit_code,
    d.signal,
    d.output_bytes,
    d.pid
FROM (
    SELECT *, json_transform(data, '{
        "phase": "VARCHAR",
        "ordinal": "BIGINT",
        "command": "VARCHAR",
        "command_digest": "VARCHAR",
        "command_truncated": "BOOLEAN",
        "started_t_us": "BIGINT",
        "duration_s": "DOUBLE",
        "how": "VARCHAR",
        "exit_code": "BIGINT",
        "signal": "BIGINT",
        "output_bytes": "BIGINT",
        "pid": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'exec.finished'
);
