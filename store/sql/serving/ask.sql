-- What does the server answer?
FROM quack_query_by_name($server, $question)
