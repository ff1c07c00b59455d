-- Forget streams that the log does not have any more: what is left of them is in other streams.
DELETE FROM dead_letter WHERE stream IN (SELECT unnest($streams));
DELETE FROM log_position WHERE stream IN (SELECT unnest($streams));
