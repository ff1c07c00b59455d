-- Make room for the rows of some trials in a table of the same name, which this connection sees first.
CREATE OR REPLACE TEMP TABLE a_table AS
SELECT * FROM a_store.main.a_table LIMIT 0
