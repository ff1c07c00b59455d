-- Which probes could not work, why, and how many collectors said so?
SELECT probe, reason, count(*) AS told, max(t_us) AS t_us
FROM probe_unavailable
GROUP BY probe, reason
ORDER BY told DESC, probe, reason
LIMIT $most
