-- When did the kernel kill something in these tries? Every kill, whoever told of it.
SELECT trial, try_no, min(coalesce(killed_t_us, read_after_t_us, t_us)) AS t_us
FROM oom_kill
WHERE list_contains($trials::VARCHAR[], trial)
GROUP BY trial, try_no, target, ordinal
ORDER BY ALL
