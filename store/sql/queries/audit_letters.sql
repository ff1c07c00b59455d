-- Where in the log do the dead letters stand?
SELECT stream, "offset", part FROM dead_letter
