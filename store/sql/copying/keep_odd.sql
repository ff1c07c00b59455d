-- Keep a line that was looked at.
INSERT INTO line VALUES ($ordinal, $type, $source, $seq, $t_us, $sweep, $text)
