-- Read the envelopes of some lines. Lines that are not written as ours are have no source here.
CREATE OR REPLACE TEMP TABLE sifted AS
WITH lines AS (
    SELECT string_split(content, chr(10)) AS all_lines FROM read_text($lines)
),
numbered AS (
    SELECT unnest(all_lines) AS text, unnest(range(len(all_lines))) AS place FROM lines
),
matched AS (
    SELECT
        place,
        text,
        regexp_extract(
            text,
            '^\{"v":\d{1,9},"type":"([^"\\]+)","source":"([^"\\]+)","seq":(\d{1,18}),'
            '"t_us":(\d{1,18}),"mono_us":\d{1,18},"sweep":(null|"[^"\\]*"),"trial":',
            ['type', 'source', 'seq', 't_us', 'sweep']
        ) AS e
    FROM numbered
    WHERE place < $count
)
SELECT
    place,
    $first + place AS ordinal,
    e.type,
    e.source,
    try_cast(e.seq AS BIGINT) AS seq,
    try_cast(e.t_us AS BIGINT) AS t_us,
    CASE WHEN e.sweep <> 'null' THEN substr(e.sweep, 2, length(e.sweep) - 2) END AS sweep,
    text
FROM matched
