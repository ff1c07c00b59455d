"""Numbers in, frozen results out; and verdicts, which are policies applied to evidence.

Nothing here reads a clock, a file of a sweep or a random source without a stored seed:
the same rows give the same result, byte for byte. ``dataset`` alone knows the store.
"""
