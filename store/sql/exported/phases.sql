-- Every phase of every try.
SELECT * FROM phase ORDER BY started_t_us, trial, try_no, phase
