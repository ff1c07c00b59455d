"""One pass over differences from the first row: they are small, so nothing cancels."""

import struct

SENSORS = 20
ROW = struct.Struct(f"<{SENSORS}d")

count = 0
origin: tuple[float, ...] = ()
sums = [0.0] * SENSORS
products = [0.0] * SENSORS
with open("/app/readings.f64", "rb") as source:
    while block := source.read(512 * ROW.size):
        for row in ROW.iter_unpack(block):
            origin = origin or row
            count += 1
            shifted = [x - first for x, first in zip(row, origin)]
            reference = shifted[0]
            sums = [total + x for total, x in zip(sums, shifted)]
            products = [total + x * reference for total, x in zip(products, shifted)]

with open("/app/covariance.csv", "w") as out:
    for sensor in range(SENSORS):
        covariance = (products[sensor] - sums[sensor] * sums[0] / count) / (count - 1)
        out.write(f"{sensor},{covariance!r}\n")
