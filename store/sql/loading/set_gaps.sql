-- Note what is missing of some sources.
DELETE FROM gap WHERE source IN (SELECT unnest($sources));
INSERT INTO gap
SELECT unnest($owners::VARCHAR[]), unnest($firsts::BIGINT[]), unnest($lasts::BIGINT[]);
