"""One pass over the file, keeping three sums a sensor: cov = (Sxy - Sx Sy / n) / (n - 1)."""

import struct

SENSORS = 20
ROW = struct.Struct(f"<{SENSORS}d")

count = 0
sums = [0.0] * SENSORS
products = [0.0] * SENSORS
with open("/app/readings.f64", "rb") as source:
    while block := source.read(512 * ROW.size):
        for row in ROW.iter_unpack(block):
            count += 1
            reference = row[0]
            sums = [total + x for total, x in zip(sums, row)]
            products = [total + x * reference for total, x in zip(products, row)]

with open("/app/covariance.csv", "w") as out:
    for sensor in range(SENSORS):
        covariance = (products[sensor] - sums[sensor] * sums[0] / count) / (count - 1)
        out.write(f"{sensor},{covariance!r}\n")
