-- What does one table of events hold, as JSON? "a_table" stands for its name.
SELECT to_json(a_table) AS row FROM a_table
