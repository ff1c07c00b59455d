-- Forget a server that is gone.
DETACH DATABASE IF EXISTS served$number
