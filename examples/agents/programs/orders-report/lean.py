"""Load the three files row by row into a database on disk with a small page cache."""

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

database = sqlite3.connect("")  # a file of its own, gone with the connection
database.execute("PRAGMA journal_mode = OFF")
database.execute("PRAGMA cache_size = -4000")
database.execute("PRAGMA temp_store = FILE")
for name, columns in TABLES.items():
    database.execute(f"CREATE TABLE {name} ({columns})")
    with open(f"/app/{name}.csv", newline="") as source:
        rows = csv.reader(source)
        marks = ",".join("?" * len(next(rows)))
        database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    database.commit()

with open("/app/report.csv", "w", newline="") as out:
    csv.writer(out, lineterminator="\n").writerows(database.execute(QUERY))
