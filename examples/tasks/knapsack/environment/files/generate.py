"""Write /app/parcels.json: a van's load and what waits for it."""

import json
import random

PARCELS = 150
CAPACITY = 37_000

rng = random.Random(100)
parcels = []
for number in range(PARCELS):
    grams = 150 + int(850 * rng.random())
    parcels.append(
        {"id": f"p{number:03}", "grams": grams, "cents": 5 * grams + int(900 * rng.random())}
    )
with open("parcels.json", "w") as out:
    json.dump({"capacity_grams": CAPACITY, "parcels": parcels}, out, indent=1)
