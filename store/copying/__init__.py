"""A sweep as a folder of files that needs nothing else: written from a log, read into one."""
