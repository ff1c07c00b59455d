-- What is sent to the client that asked.
FROM answers.a$number
