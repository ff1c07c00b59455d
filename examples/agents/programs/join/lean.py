"""Keep the smaller table only: order number to its places, then stream the shipments."""

import csv
from collections import defaultdict
from sys import intern

places: dict[int, list[str]] = {}
with open("/app/orders.csv", newline="") as source:
    rows = csv.reader(source)
    next(rows)
    for order, region, shipped in rows:
        number = int(order.removeprefix("order-"))
        places.setdefault(number, []).append(intern(f"{region},{shipped}"))

totals: defaultdict[str, int] = defaultdict(int)
with open("/app/shipments.csv", newline="") as source:
    rows = csv.reader(source)
    next(rows)
    for _shipment, order, depot, kilograms in rows:
        for place in places.get(int(order.removeprefix("order-")), ()):
            totals[f"{depot},{place}"] += int(kilograms)

with open("/app/kilograms.csv", "w") as out:
    out.writelines(f"{group},{totals[group]}\n" for group in sorted(totals))
