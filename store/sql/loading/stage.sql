-- Lay out the lines of a batch that are no plain samples: envelope, payload, and the shape of each,
-- which is the structure of its JSON with the values of the fields that are enumerations.
-- The first $settled lines were looked at one by one already and need no shape.
CREATE OR REPLACE TEMP TABLE incoming AS
WITH lines AS (
    SELECT string_split(content, chr(10)) AS all_lines FROM read_text($lines)
),
numbered AS (
    SELECT unnest(all_lines) AS line, unnest(range(len(all_lines))) AS ordinal FROM lines
),
parsed AS (
    SELECT
        ordinal,
        line,
        json_valid(line) AS valid,
        CASE WHEN json_valid(line) THEN json_transform(line, '{
            "v": "BIGINT", "type": "VARCHAR", "source": "VARCHAR", "seq": "BIGINT",
            "t_us": "BIGINT", "mono_us": "BIGINT", "sweep": "VARCHAR", "trial": "VARCHAR",
            "try": "BIGINT", "target": "VARCHAR", "data": "JSON"
        }') END AS e
    FROM numbered
    WHERE ordinal < $count
)
SELECT
    ordinal,
    e.v, e.type, e.source, e.seq, e.t_us, e.mono_us, e.sweep, e.trial, e."try" AS try_no,
    e.target, e.data,
    coalesce(list_contains($known, e.type || '/' || e.v), false) AS known,
    CASE
        WHEN ordinal < $settled THEN NULL
        WHEN NOT valid THEN 'not JSON'
        WHEN e.source = '' THEN 'no source'
        ELSE json_structure(line)::VARCHAR
    END AS shape,
    CASE
        WHEN valid AND ordinal >= $settled THEN json_extract_string(e.data, $enumerations)
    END AS enumerated
FROM parsed
