-- How far is the loader in each stream of the log?
SELECT stream, next_offset FROM log_position
