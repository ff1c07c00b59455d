-- Stop to serve it.
FROM quack_stop($address)
