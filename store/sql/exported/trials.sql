-- Every trial that was begun: its outcome, or its latest try where it has none yet.
SELECT * FROM listed_trial ORDER BY started_t_us, trial
