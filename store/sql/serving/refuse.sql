-- What is run in place of a question that is not answered.
SELECT error($words)
