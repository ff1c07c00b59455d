"""Load all records, group the equal ones, count every family of the network, sum over worlds."""

import json
from collections import Counter

with open("/app/network.json") as source:
    network = json.load(source)
with open("/app/queries.json") as source:
    queries = json.load(source)

with open("/app/records.csv") as source:
    header, *records = [tuple(line.rstrip("\n").split(",")) for line in source]
distinct = Counter(records)

counts: dict[str, Counter[tuple[str, ...]]] = {}
for name, node in network.items():
    members = [header.index(member) for member in (name, *node["parents"])]
    counts[name] = Counter()
    for record, times in distinct.items():
        counts[name][tuple(record[member] for member in members)] += times


def probability(value: str, name: str, world: dict[str, str]) -> float:
    given = tuple(world[parent] for parent in network[name]["parents"])
    seen = counts[name]
    total = sum(seen[other, *given] for other in network[name]["values"])
    return (seen[value, *given] + 1) / (total + len(network[name]["values"]))


def joint(world: dict[str, str], names: list[str]) -> float:
    """Probability of what is set in `world`, summed over the values of what is not."""
    if not names:
        return 1.0
    name, *rest = names
    values = [world[name]] if name in world else network[name]["values"]
    return sum(
        probability(value, name, world) * joint({**world, name: value}, rest) for value in values
    )


answers = []
for query in queries:
    name, value = query["ask"].split("=")
    given = joint(query["given"], list(network))
    answers.append(joint({**query["given"], name: value}, list(network)) / given)

with open("/app/answers.json", "w") as out:
    json.dump(answers, out)
