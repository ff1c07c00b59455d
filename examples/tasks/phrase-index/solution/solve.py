"""Read the book line by line, carrying the last two words over to the next line."""

import re

with open("/app/phrases.txt", encoding="utf-8") as source:
    phrases = source.read().splitlines()
wanted = [tuple(phrase.casefold().split()) for phrase in phrases]
counts = dict.fromkeys(wanted, 0)
firsts = dict.fromkeys(wanted, -1)

before = 0  # words of the book before those carried over
words: list[str] = []
with open("/app/book.txt", encoding="utf-8") as source:
    for line in source:
        words += re.findall(r"\w+", line.casefold())
        for at, run in enumerate(zip(words, words[1:], words[2:])):
            if run in counts:
                counts[run] += 1
                if firsts[run] < 0:
                    firsts[run] = before + at
        before += max(len(words) - 2, 0)
        words = words[-2:]

with open("/app/phrases.csv", "w", encoding="utf-8") as out:
    for phrase, run in zip(phrases, wanted, strict=True):
        out.write(f"{phrase},{counts[run]},{firsts[run]}\n")
