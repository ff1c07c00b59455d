"""Write /app/services.log: four hosts, each in its own offset from UTC, traces over many lines."""

import random

ENTRIES = 37_000
OFFSETS = {"ams-1": "+01:00", "nyc-1": "-05:00", "blr-1": "+05:30", "adl-1": "+09:30"}
CAUSES = ["ConnectionReset", "DeadlineExceeded", "DiskFull", "StaleRead", "TokenExpired"]
PLACES = ["api.Gateway.send", "core.Retry.run", "store.Page.read", "store.Pool.take"]
SAYS = ["request served", "cache refreshed", "queue drained", "lease renewed"]

rng = random.Random(1905)
hosts = list(OFFSETS)
minutes_east = {"+01:00": 60, "-05:00": -300, "+05:30": 330, "+09:30": 570}
second = 0.0

with open("services.log", "w") as out:
    for entry in range(ENTRIES):
        second += 7.0 * rng.random()
        host = hosts[int(4 * rng.random())]
        offset = OFFSETS[host]
        local = int(second) + 60 * (minutes_east[offset] + 2 * 1440)
        day, rest = divmod(local, 86_400)
        stamp = (
            f"2024-03-{day + 3:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}{offset}"
        )
        draw = rng.random()
        if draw > 0.25:
            level = "WARN" if draw > 0.9 else "INFO"
            out.write(f"{stamp} {host} {level} {SAYS[int(4 * rng.random())]} id={entry}\n")
            continue
        outer, inner, root = (CAUSES[int(5 * rng.random())] for _ in range(3))
        out.write(f"{stamp} {host} ERROR {outer}: request {entry} failed\n")
        out.write(f"    at {PLACES[int(4 * rng.random())]}\n")
        if draw < 0.15:
            out.write(f"Caused by: {inner}: while asking the store\n")
            out.write(f"    at {PLACES[int(4 * rng.random())]}\n")
        if draw < 0.08:
            out.write(f"Caused by: {root}: given up\n    at {PLACES[int(4 * rng.random())]}\n")
