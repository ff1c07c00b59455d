-- Which trial has this id, and how does it stand?
SELECT * FROM trial WHERE trial = $trial
