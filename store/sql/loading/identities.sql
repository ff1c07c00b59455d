-- Who said the staged lines, in which place of its sequence, what, and about which trial?
SELECT source, seq, type, known, trial FROM incoming
