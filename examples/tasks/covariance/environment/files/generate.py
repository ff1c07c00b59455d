"""Write /app/readings.f64: twenty gravimeters, one row a second."""

import random
from array import array

ROWS = 30_000
SENSORS = 20
TIDE_PERIOD = 6_000

rng = random.Random(4711)
offsets = [9.806e8 + 1_000.0 * sensor for sensor in range(SENSORS)]
gains = [0.25 + 0.125 * (sensor % 9) for sensor in range(SENSORS)]

with open("readings.f64", "wb") as out:
    for row in range(ROWS):
        phase = row % TIDE_PERIOD
        tide = 0.01 * min(phase, TIDE_PERIOD - phase) + 4.0 * rng.random()
        noise = rng.random
        array(
            "d",
            [offset + gain * tide + noise() for offset, gain in zip(offsets, gains, strict=True)],
        ).tofile(out)
