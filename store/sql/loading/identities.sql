-- Who said the staged lines, and in which place of its sequence?
SELECT source, seq FROM incoming
