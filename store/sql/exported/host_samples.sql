-- How each host was, once a second.
SELECT i.host, s.* EXCLUDE (sweep, trial, try_no, target)
FROM host_sample AS s
LEFT JOIN (SELECT source, min(host) AS host FROM host_info GROUP BY source) AS i
    ON i.source = s.source
ORDER BY s.t_us, s.source, s.seq
