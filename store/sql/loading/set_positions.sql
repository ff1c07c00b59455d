-- Note where to go on in some streams.
DELETE FROM log_position WHERE list_contains($streams::VARCHAR[], stream);
INSERT INTO log_position SELECT unnest($streams::VARCHAR[]), unnest($offsets::BIGINT[]);
