"""Write /app/customers.csv, /app/orders.csv and /app/items.csv of a shop."""

import random

CUSTOMERS = 4_000
ORDERS = 21_000
REGIONS = ["north", "east", "south", "west", "overseas"]
PRODUCTS = [f"product {number:03}" for number in range(120)]

rng = random.Random(77)
draw = rng.random

with open("customers.csv", "w") as out:
    out.write("customer_id,region\n")
    out.writelines(f"c{customer:05},{REGIONS[int(5 * draw())]}\n" for customer in range(CUSTOMERS))

with open("orders.csv", "w") as orders, open("items.csv", "w") as items:
    orders.write("order_id,customer_id,day\n")
    items.write("order_id,product,quantity,unit_cents\n")
    for order in range(ORDERS):
        pick = int(CUSTOMERS * 365 * draw())
        month, day = pick // CUSTOMERS % 12 + 1, pick // CUSTOMERS // 12 % 28 + 1
        orders.write(f"o{order:06},c{pick % CUSTOMERS:05},2023-{month:02}-{day:02}\n")
        lines = int(81 * draw())
        for line in range(1 + lines % 3):
            number = (pick * (line + 1)) % 120
            quantity = 1 + (lines // 3 + line) % 9
            items.write(f"o{order:06},{PRODUCTS[number]},{quantity},{99 + 25 * number}\n")
