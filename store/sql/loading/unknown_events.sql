-- Keep staged lines of types or versions that this version does not know.
INSERT INTO unknown_event
SELECT source, seq, t_us, mono_us, sweep, trial, try_no, target, v, type, data
FROM incoming
WHERE NOT known
