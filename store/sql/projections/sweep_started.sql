-- Which campaign processes worked on a sweep, and when each began.
INSERT INTO sweep_started
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.host,
    d.pid,
    d.concurrency,
    d.resumed,
    d.trials_left
FROM (
    SELECT *, json_transform(data, '{
        "host": "VARCHAR",
        "pid": "BIGINT",
        "concurrency": "BIGINT",
        "resumed": "BOOLEAN",
        "trials_left": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'sweep.started'
);
