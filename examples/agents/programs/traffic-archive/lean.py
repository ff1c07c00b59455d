"""Unpack the log as a stream and count the distinct requests as they go by."""

import gzip
from collections import Counter

with gzip.open("/app/traffic.log.gz", "rt") as source:
    distinct = Counter(source)

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
