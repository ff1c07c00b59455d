-- How many sparks are to be made, and between which moments do their samples lie?
SELECT count(*) AS due, min(started_t_us) AS low_us, max(finished_t_us) AS high_us
FROM spark_due
