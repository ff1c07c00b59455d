"""List every run of three words of the book in order; count and look up in that list."""

import re
from collections import Counter

with open("/app/book.txt", encoding="utf-8") as source:
    words = re.findall(r"\w+", source.read().casefold())
runs = list(zip(words, words[1:], words[2:]))
counts = Counter(runs)

with (
    open("/app/phrases.txt", encoding="utf-8") as phrases,
    open("/app/phrases.csv", "w", encoding="utf-8") as out,
):
    for line in phrases:
        phrase = line.strip()
        wanted = tuple(phrase.casefold().split())
        out.write(f"{phrase},{counts[wanted]},{runs.index(wanted)}\n")
