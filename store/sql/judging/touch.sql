-- Note which of the trials have a try that ended: only those can have a verdict.
CREATE OR REPLACE TEMP TABLE touched AS
SELECT DISTINCT w.trial
FROM (SELECT unnest($trials::VARCHAR[]) AS trial) AS w
SEMI JOIN a_store.main.trial_finished AS f ON f.trial = w.trial
