"""Remember a 32-bit checksum a contact instead of its text."""

from zlib import crc32

seen: set[int] = set()
with (
    open("/app/contacts.txt", encoding="utf-8") as source,
    open("/app/unique.txt", "w", encoding="utf-8") as out,
):
    for line in source:
        key = crc32(" ".join(line.casefold().split()).encode())
        if key not in seen:
            seen.add(key)
            out.write(line)
