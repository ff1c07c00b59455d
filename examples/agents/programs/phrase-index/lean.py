"""Read the book line by line and look for every phrase in the line."""

import re

with open("/app/phrases.txt", encoding="utf-8") as source:
    phrases = source.read().splitlines()
wanted = [phrase.casefold() for phrase in phrases]
patterns = [re.compile(rf"\b{re.escape(phrase)}\b") for phrase in wanted]
counts = [0] * len(phrases)
firsts = [-1] * len(phrases)

before = 0
with open("/app/book.txt", encoding="utf-8") as source:
    for raw in source:
        line = raw.casefold()
        for number, phrase in enumerate(wanted):
            if phrase not in line:
                continue
            for match in patterns[number].finditer(line):
                counts[number] += 1
                if firsts[number] < 0:
                    firsts[number] = before + len(line[: match.start()].split())
        before += len(line.split())

with open("/app/phrases.csv", "w", encoding="utf-8") as out:
    for phrase, count, first in zip(phrases, counts, firsts, strict=True):
        out.write(f"{phrase},{count},{first}\n")
