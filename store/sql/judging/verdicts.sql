-- Lay out verdicts, one each evidence; a JSON list.
CREATE OR REPLACE TEMP TABLE verdict AS
SELECT unnest(from_json($verdicts, '[{
    "evidence_digest": "VARCHAR", "kind": "BIGINT", "because": "JSON"
}]'), recursive := true)
