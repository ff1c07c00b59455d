"""Write /app/records.csv: daily reports of pump stations, drawn from network.json."""

import json
import random

STATIONS = 27
REPORTS = 1_000  # a station and period
PERIODS = 5
DISTINCT = 5_000

rng = random.Random(1763)
with open("network.json") as source:
    network = json.load(source)

weights: dict[tuple[str, ...], list[float]] = {}
pool: list[str] = []
for _ in range(DISTINCT):
    drawn: dict[str, str] = {}
    for name, node in network.items():
        family = (name, *(drawn[parent] for parent in node["parents"]))
        if family not in weights:
            weights[family] = [0.1 + rng.random() for _ in node["values"]]
        drawn[name] = rng.choices(node["values"], weights[family])[0]
    fields = ["" if rng.random() < 0.01 else value for value in drawn.values()]
    pool.append(",".join(fields) + "\n")

with open("records.csv", "w") as out:
    out.write(",".join(network) + "\n")
    stations = [
        "".join([pool[int(DISTINCT * rng.random())] for _ in range(REPORTS)])
        for _ in range(STATIONS)
    ]
    for _ in range(PERIODS):
        out.writelines(stations)
