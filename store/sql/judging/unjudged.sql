-- Number the ended tries that have no verdict now.
CREATE OR REPLACE TEMP TABLE unjudged AS
SELECT t.*, row_number() OVER () AS place
FROM told AS t
ANTI JOIN judged_try AS j ON j.trial = t.trial AND j.try_no = t.try_no
