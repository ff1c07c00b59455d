-- Notes of people on trials, hosts and spans of time.
INSERT INTO note_added
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.author,
    d.text,
    d.host,
    d.from_t_us,
    d.to_t_us
FROM (
    SELECT *, json_transform(data, '{
        "author": "VARCHAR",
        "text": "VARCHAR",
        "host": "VARCHAR",
        "from_t_us": "BIGINT",
        "to_t_us": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'note.added'
);
