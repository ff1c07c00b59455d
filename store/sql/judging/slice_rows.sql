-- Take the rows of the touched trials into the table of the same name.
TRUNCATE a_table;
INSERT INTO a_table
SELECT t.*
FROM a_store.main.a_table AS t
SEMI JOIN touched AS w ON w.trial = t.trial
