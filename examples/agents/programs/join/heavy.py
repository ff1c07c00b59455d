"""Load both tables, look every shipment's order up by its number, group the joined rows."""

import csv
from collections import defaultdict


def table(name: str) -> list[dict[str, str]]:
    with open(f"/app/{name}.csv", newline="") as source:
        return list(csv.DictReader(source))


orders = {order["order_id"]: order for order in table("orders")}
joined = [
    {**shipment, **orders[shipment["order_id"]]}
    for shipment in table("shipments")
    if shipment["order_id"] in orders
]

totals: defaultdict[tuple[str, str, str], int] = defaultdict(int)
for row in joined:
    totals[row["depot"], row["region"], row["class"]] += int(row["kilograms"])

with open("/app/kilograms.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows((*group, total) for group, total in sorted(totals.items()))
