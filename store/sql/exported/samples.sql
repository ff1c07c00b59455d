-- What each sandbox used, once a second.
SELECT * FROM sample ORDER BY t_us, source, seq
