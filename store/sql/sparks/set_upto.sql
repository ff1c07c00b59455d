-- Note up to which sample all sparks are right.
DELETE FROM spark_upto;
INSERT INTO spark_upto VALUES ($samples)
