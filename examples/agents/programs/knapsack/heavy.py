"""The exact load by dynamic programming: the best earning for every number of parcels and grams."""

import json

with open("/app/parcels.json") as source:
    van = json.load(source)
capacity, parcels = van["capacity_grams"], van["parcels"]

# best[i][g]: the most that the first i parcels can earn within g grams
best = [[0] * (capacity + 1)]
for parcel in parcels:
    grams, cents = parcel["grams"], parcel["cents"]
    without = best[-1]
    best.append(
        without[:grams]
        + [max(left, taken + cents) for left, taken in zip(without[grams:], without)]
    )

chosen: list[str] = []
room = capacity
for number in range(len(parcels), 0, -1):
    if best[number][room] != best[number - 1][room]:
        parcel = parcels[number - 1]
        chosen.append(parcel["id"])
        room -= parcel["grams"]

with open("/app/load.txt", "w") as out:
    out.writelines(f"{name}\n" for name in reversed(chosen))
