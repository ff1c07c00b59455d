"""The served store: one process that loads and answers, and clients that ask it.

Only the server ever opens the DuckDB file. It follows the log and answers SELECT statements
over Quack on loopback; what is no question (load now, how are you, stop) goes over a Unix
socket. ``client`` finds a folder's server or starts it, and starts it again when it has ended,
so that nobody who asks has to know whether it runs.
"""
