-- Forget an answer that was fetched, or that nobody wants any more.
DROP TABLE IF EXISTS answers.a$number
