"""Load the whole matrix, then take every sensor's covariance with sensor 0."""

import struct
from math import fsum

SENSORS = 20

with open("/app/readings.f64", "rb") as source:
    raw = source.read()
rows = list(struct.iter_unpack(f"<{SENSORS}d", raw))
columns = list(zip(*rows, strict=True))


def deviations(column: tuple[float, ...]) -> list[float]:
    mean = fsum(column) / len(column)
    return [value - mean for value in column]


reference = deviations(columns[0])
with open("/app/covariance.csv", "w") as out:
    for sensor, column in enumerate(columns):
        products = (a * b for a, b in zip(deviations(column), reference, strict=True))
        out.write(f"{sensor},{fsum(products) / (len(rows) - 1)!r}\n")
