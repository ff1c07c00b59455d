"""Write /app/book.txt, eleven words a line, and /app/phrases.txt."""

import random

WORDS = 440_000
PHRASES = 24
SENTENCES = 700
VOCABULARY = (
    "the of and to in a was he his that it with as for had on at by her but not be from is "
    "Straße café naïve MASSE Maße river harbour lantern winter letter captain evening stone "
    "market silence window garden bridge shadow thunder voyage anchor compass island"
).split()

rng = random.Random(1851)
size = len(VOCABULARY)
sentences = []
for _ in range(SENTENCES):
    length = 8 + int(14 * rng.random())
    words = [VOCABULARY[int(size * rng.random())] for _ in range(length)]
    sentences.append([*words[:-1], f"{words[-1]}."])

with open("book.txt", "w", encoding="utf-8") as out:
    written = 0
    words = []
    while written < WORDS:
        words += sentences[int(SENTENCES * rng.random())]
        if len(words) >= 220:
            out.writelines(" ".join(words[at : at + 11]) + "\n" for at in range(0, 220, 11))
            written += 220
            del words[:220]

with open("phrases.txt", "w", encoding="utf-8") as out:
    for number in range(PHRASES):
        sentence = sentences[int(SENTENCES * rng.random())]
        start = int((len(sentence) - 3) * rng.random())
        phrase = " ".join(sentence[start : start + 3])
        out.write((phrase.upper() if number % 3 else phrase.lower()) + "\n")
