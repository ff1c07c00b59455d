-- Keep the evidence as it is now, each row with a digest of all that is in it.
CREATE OR REPLACE TEMP TABLE told AS
SELECT e.*, md5(to_json(e)::VARCHAR) AS row_digest
FROM evidence AS e
