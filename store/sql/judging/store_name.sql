-- What does DuckDB call the open store?
SELECT current_database()
