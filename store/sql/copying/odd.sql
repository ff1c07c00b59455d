-- Which of these lines are to be looked at one by one?
SELECT place, text FROM sifted WHERE source = '' ORDER BY place
