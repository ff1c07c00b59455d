-- What is the evidence about the unjudged tries from number $first on, up to $count of them?
SELECT place, COLUMNS(name -> list_contains($names, name))
FROM unjudged
WHERE place BETWEEN $first AND $first + $count - 1
ORDER BY place
