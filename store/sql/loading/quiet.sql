-- Draw no bar on standard output, which belongs to whoever started us.
SET enable_progress_bar = false
