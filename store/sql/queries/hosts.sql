-- Which hosts are known: where trials ran, or which a collector described?
SELECT host FROM trial_started
UNION
SELECT host FROM host_info
ORDER BY host
