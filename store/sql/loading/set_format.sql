-- Note that a migration was made.
CREATE TABLE IF NOT EXISTS store_format (number BIGINT NOT NULL);
DELETE FROM store_format;
INSERT INTO store_format VALUES ($number);
