"""Take parcels by earning per gram, then try to swap single parcels for better ones."""

import json

with open("/app/parcels.json") as source:
    van = json.load(source)
room, parcels = van["capacity_grams"], van["parcels"]
parcels.sort(key=lambda parcel: parcel["cents"] / parcel["grams"], reverse=True)

chosen: list[dict[str, int]] = []
waiting: list[dict[str, int]] = []
for parcel in parcels:
    if parcel["grams"] <= room:
        chosen.append(parcel)
        room -= parcel["grams"]
    else:
        waiting.append(parcel)

improved = True
while improved:
    improved = False
    for i in range(len(chosen)):
        for j, outside in enumerate(waiting):
            inside = chosen[i]
            extra = outside["grams"] - inside["grams"]
            if extra <= room and outside["cents"] > inside["cents"]:
                chosen[i], waiting[j] = outside, inside
                room -= extra
                improved = True

with open("/app/load.txt", "w") as out:
    out.writelines(f"{parcel['id']}\n" for parcel in chosen)
