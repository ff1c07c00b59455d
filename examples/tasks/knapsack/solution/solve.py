"""The same recurrence with one row of earnings, and one bit a decision to walk back by."""

import json

with open("/app/parcels.json") as source:
    van = json.load(source)
capacity, parcels = van["capacity_grams"], van["parcels"]

best = [0] * (capacity + 1)
takes: list[int] = []  # per parcel a bit string: take it with this many grams of room?
for parcel in parcels:
    grams, cents = parcel["grams"], parcel["cents"]
    without = best[grams:]
    with_it = [taken + cents for taken in best[: capacity + 1 - grams]]
    best[grams:] = map(max, without, with_it)
    digits = "".join(["01"[new > old] for old, new in zip(without, with_it, strict=True)])
    takes.append(int(digits[::-1], 2) << grams)

chosen: list[str] = []
room = capacity
for parcel, take in zip(reversed(parcels), reversed(takes), strict=True):
    if take >> room & 1:
        chosen.append(parcel["id"])
        room -= parcel["grams"]

with open("/app/load.txt", "w") as out:
    out.writelines(f"{name}\n" for name in reversed(chosen))
