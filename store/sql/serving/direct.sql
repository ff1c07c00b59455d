-- Speak to the server itself. The client of httpfs that is the default takes a proxy from the
-- environment, which would get the token and every question and could not reach the server;
-- the other one asks the environment only where nothing is set.
SET httpfs_client_implementation = 'httplib';

SET http_proxy = ''
