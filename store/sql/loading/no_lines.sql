-- Lay out nothing: a batch of plain samples only.
CREATE OR REPLACE TEMP TABLE incoming AS
SELECT 0::BIGINT AS ordinal, ''::VARCHAR AS source, 0::BIGINT AS seq
WHERE false
