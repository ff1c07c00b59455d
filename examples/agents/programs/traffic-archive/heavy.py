"""Unpack the whole log, split it into requests, then count the distinct ones."""

import gzip
from collections import Counter

with open("/app/traffic.log.gz", "rb") as source:
    log = gzip.decompress(source.read()).decode()
requests = log.splitlines()
distinct = Counter(requests)

paths: dict[str, list[int]] = {}
for line, times in distinct.items():
    _client, _method, path, status, size, took, _origin = line.split(maxsplit=6)
    totals = paths.setdefault(path, [0, 0, 0, 0])
    totals[0] += times
    totals[1] += times * int(size)
    totals[2] += times * (int(status) >= 500)
    totals[3] = max(totals[3], int(took.removesuffix("ms")))

with open("/app/paths.csv", "w") as out:
    for path, totals in sorted(paths.items()):
        out.write(",".join([path, *map(str, totals)]) + "\n")
