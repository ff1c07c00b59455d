-- Keep a piece of the log that is no event.
INSERT INTO unreadable VALUES ($stream, $raw, $source)
