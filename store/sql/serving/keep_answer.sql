-- Keep what a question answers until it was fetched. The question follows.
CREATE TABLE answers.a$number AS
