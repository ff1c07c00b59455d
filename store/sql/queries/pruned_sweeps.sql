-- Which sweeps and trials were pruned, when, and by whom?
SELECT from_json(sweeps, '["VARCHAR"]') AS sweeps, from_json(trials, '["VARCHAR"]') AS trials, t_us, author
FROM log_pruned
ORDER BY t_us, source, seq
