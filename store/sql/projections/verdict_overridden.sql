-- What people say that the verdict on a try should be.
INSERT INTO verdict_overridden
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.author,
    d.text,
    d.cause,
    d.counts_as
FROM (
    SELECT *, json_transform(data, '{
        "author": "VARCHAR",
        "text": "VARCHAR",
        "cause": "VARCHAR",
        "counts_as": "VARCHAR"
    }') AS d
    FROM incoming
    WHERE known AND type = 'verdict.overridden'
);
