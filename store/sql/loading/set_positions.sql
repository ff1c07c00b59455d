-- Note where to go on in some streams.
DELETE FROM log_position WHERE stream IN (SELECT unnest($streams));
INSERT INTO log_position SELECT unnest($streams::VARCHAR[]), unnest($offsets::BIGINT[]);
