-- Look at every verdict that is kept.
CREATE OR REPLACE TEMP TABLE touched AS
SELECT DISTINCT trial FROM judged_try
