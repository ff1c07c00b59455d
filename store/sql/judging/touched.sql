-- How many trials are touched?
SELECT count(*) FROM touched
