-- Lay out what many verdicts share; a JSON list.
CREATE OR REPLACE TEMP TABLE kind AS
SELECT k.*
FROM (
    SELECT unnest(from_json($kinds, '[{
        "kind": "BIGINT", "cause": "VARCHAR", "family": "VARCHAR", "confidence": "VARCHAR",
        "counts_as": "VARCHAR", "says": "VARCHAR", "ceiling_kill": "BOOLEAN",
        "also": ["VARCHAR"]
    }]')) AS k
)
