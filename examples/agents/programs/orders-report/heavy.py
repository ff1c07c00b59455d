"""Load the three files into an in-memory database and ask it."""

import csv
import sqlite3

TABLES = {
    "customers": "customer_id TEXT PRIMARY KEY, region TEXT",
    "orders": "order_id TEXT PRIMARY KEY, customer_id TEXT, day TEXT",
    "items": "order_id TEXT, product TEXT, quantity INTEGER, unit_cents INTEGER",
}

QUERY = """
    WITH revenue AS (
        SELECT region, substr(day, 1, 7) AS month, product,
               sum(quantity * unit_cents) AS cents
        FROM items JOIN orders USING (order_id) JOIN customers USING (customer_id)
        GROUP BY region, month, product
    ), ranked AS (
        SELECT region, month, product, cents,
               row_number() OVER (
                   PARTITION BY region, month ORDER BY cents DESC, product
               ) AS rank
        FROM revenue
    )
    SELECT region, month, rank, product, cents FROM ranked
    WHERE rank <= 3 ORDER BY region, month, rank
"""


def records_of(name: str) -> list[dict[str, str]]:
    with open(f"/app/{name}.csv", newline="") as source:
        return list(csv.DictReader(source))


shop = {name: records_of(name) for name in TABLES}

database = sqlite3.connect(":memory:")
database.execute("PRAGMA temp_store = MEMORY")
for name, columns in TABLES.items():
    database.execute(f"CREATE TABLE {name} ({columns})")
    values = ",".join(f":{field}" for field in shop[name][0])
    database.executemany(f"INSERT INTO {name} VALUES ({values})", shop[name])

with open("/app/report.csv", "w", newline="") as out:
    csv.writer(out, lineterminator="\n").writerows(database.execute(QUERY))
