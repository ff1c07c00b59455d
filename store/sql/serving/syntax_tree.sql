-- What DuckDB's parser makes of a text; of anything but SELECT statements, an error.
SELECT json_serialize_sql($text)
