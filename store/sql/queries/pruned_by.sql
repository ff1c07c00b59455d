-- Who said that something is pruned?
SELECT source, seq FROM log_pruned
