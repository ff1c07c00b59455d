-- How are these views defined, as views that only this connection sees? In the order of the names.
SELECT replace(v.sql, 'CREATE VIEW ', 'CREATE OR REPLACE TEMP VIEW ')
FROM (SELECT unnest($names) AS name, unnest(range(len($names))) AS place) AS n
JOIN duckdb_views() AS v
    ON v.view_name = n.name AND v.database_name = current_database() AND NOT v.temporary
ORDER BY n.place
