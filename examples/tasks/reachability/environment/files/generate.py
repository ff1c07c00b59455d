"""Write /app/includes.txt: which file of a source tree includes which."""

import random

FILES = 52_000

rng = random.Random(12)
draw = rng.random

with open("includes.txt", "w") as out:
    for number in range(FILES - 1):
        reach = FILES - 1 - number
        near, far = min(reach, 40), min(reach, 1_000)
        pick = draw()
        line = f"{number}: {number + 1 + int(near * draw())}"
        if pick < 0.35:
            line += f" {number + 1 + int(far * draw())}"
        out.write(line + "\n")
    out.write(f"{FILES - 1}:\n")
