"""Judge /app/load.txt: known parcels, each once, not too heavy, and no load earns more."""

import hashlib
import json
import os
import stat
import sys

ANSWER = "/app/load.txt"
PARCELS = "/app/parcels.json"
TRUTH = "/tests/expected.json"
MOST_BYTES = 1 << 16


def fault() -> str | None:
    """What is wrong with the answer; None when nothing is."""
    with open(TRUTH, encoding="utf-8") as source:
        truth = json.load(source)
    try:
        with open(PARCELS, "rb") as source:
            raw = source.read(MOST_BYTES)
        status = os.lstat(ANSWER)
    except OSError as problem:
        return f"no answer: {problem}"
    if hashlib.sha256(raw).hexdigest() != truth["sha256"]:
        return f"{PARCELS} was changed"
    if not stat.S_ISREG(status.st_mode):
        return f"{ANSWER} is no regular file"
    if status.st_size > MOST_BYTES:
        return f"{ANSWER} has {status.st_size} bytes, far more than any right answer"
    with open(ANSWER, encoding="utf-8", errors="replace") as source:
        names = source.read().split()
    van = json.loads(raw)
    parcels = {parcel["id"]: parcel for parcel in van["parcels"]}
    for name in names:
        if name not in parcels:
            return f"there is no parcel {name[:200]!r}, or it is loaded twice"
        parcel = parcels.pop(name)
        truth["earned"] -= parcel["cents"]
        van["capacity_grams"] -= parcel["grams"]
    if van["capacity_grams"] < 0:
        return f"{-van['capacity_grams']} grams too heavy"
    if truth["earned"] > 0:
        return f"a load exists that earns {truth['earned']} cents more"
    return None


problem = fault()
print(problem or "right")
sys.exit(10 if problem else 0)
