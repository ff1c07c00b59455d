-- Which ticks could not be served in time.
INSERT INTO tick_missed
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.first_tick,
    d.ticks,
    d.late_us
FROM (
    SELECT *, json_transform(data, '{
        "first_tick": "BIGINT",
        "ticks": "BIGINT",
        "late_us": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'tick.missed'
);
