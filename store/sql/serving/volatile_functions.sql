-- Which functions do more than compute their result?
SELECT DISTINCT lower(function_name) AS name
FROM duckdb_functions()
WHERE stability = 'VOLATILE'
ORDER BY name
