-- Begin to serve this database.
FROM quack_serve($address, token => $token)
