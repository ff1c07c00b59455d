"""Write /app/old.txt and /app/new.txt: two drafts of a script that repeats its lines a lot."""

import random

LINES = 960
BLOCK = ["begin", "read input", "check input", "call service", "log result", "end"]

rng = random.Random(31)
draw = rng.random
old: list[str] = []
while len(old) < LINES:
    old.append(BLOCK[len(old) % 6] if draw() < 0.7 else f"set limit {int(40 * draw())}")

new: list[str] = []
for line in old:
    fate = draw()
    if fate < 0.12:
        continue
    if fate < 0.26:
        new.append(BLOCK[int(6 * draw())])
    new.append(f"set limit {int(40 * draw())}" if fate > 0.93 else line)

for name, lines in (("old.txt", old), ("new.txt", new)):
    with open(name, "w") as out:
        out.writelines(f"{line}\n" for line in lines)
