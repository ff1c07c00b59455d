"""Copying a journal to a shared log, in a process of its own.

Store and forward: whoever writes events writes them to the journal of its machine and never
waits for a network. The shipper follows the journal's files and sends their lines, as they are,
to the topic; how far each file is acknowledged is kept beside them, so a shipper that is killed
is followed by one that sends a little of it again, which the loader drops.
"""
