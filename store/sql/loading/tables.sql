-- Which tables does this file have?
SELECT table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary
