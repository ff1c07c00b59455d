"""Write /app/orders.csv and /app/shipments.csv; big orders are split over several lines."""

import random

ORDERS = 28_000
SHIPMENTS = 56_000
REGIONS = ["north", "east", "south", "west", "overseas"]
CLASSES = ["standard", "express", "overnight"]
DEPOTS = ["Aalen", "Bremen", "Celle", "Dresden", "Emden", "Fulda", "Gotha", "Hagen"]

rng = random.Random(60)
draw = rng.random

with open("orders.csv", "w") as out:
    out.write("order_id,region,class\n")
    for order in range(ORDERS):
        pick = int(5 * 3 * 20 * draw())
        region, shipped, split = pick % 5, pick // 5 % 3, pick // 15
        out.write(f"order-{order:06},{REGIONS[region]},{CLASSES[shipped]}\n")
        if split == 0:
            out.write(f"order-{order:06},{REGIONS[(region + 1) % 5]},{CLASSES[shipped]}\n")

with open("shipments.csv", "w") as out:
    out.write("shipment_id,order_id,depot,kilograms\n")
    for shipment in range(SHIPMENTS):
        pick = int(ORDERS * 8 * 50 * draw())
        order, depot, weight = pick % ORDERS, pick // ORDERS % 8, 1 + pick // ORDERS // 8
        out.write(f"shipment-{shipment:06},order-{order:06},{DEPOTS[depot]},{weight}\n")
