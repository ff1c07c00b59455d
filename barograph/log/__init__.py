"""The log: an append-only sequence of events behind a port of two operations.

``port`` says what a backend promises, ``journal`` keeps files on the writer's machine
(the durable truth), ``memory`` serves tests, ``opening`` chooses one by a URL.
"""
