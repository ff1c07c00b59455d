-- Which trials are of these sweeps?
SELECT DISTINCT trial
FROM enveloped
WHERE sweep IN (SELECT unnest($sweeps::VARCHAR[])) AND trial IS NOT NULL
ORDER BY trial
