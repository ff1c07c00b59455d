"""Judge /app/covariance.csv sensor by sensor; the reward is 1 only when all are right."""

import json
import os
import stat
import sys

ANSWER = "/app/covariance.csv"
TRUTH = "/tests/expected.json"
REWARD = "/logs/verifier/reward.json"
TOLERANCE = 1e-6  # relative
MOST_BYTES = 1 << 16


def answers() -> list[str] | str:
    """The lines that were answered, or what is wrong with the file."""
    try:
        status = os.lstat(ANSWER)
    except OSError as problem:
        return f"no answer: {problem}"
    if not stat.S_ISREG(status.st_mode):
        return f"{ANSWER} is no regular file"
    if status.st_size > MOST_BYTES:
        return f"{ANSWER} has {status.st_size} bytes, far more than any right answer"
    with open(ANSWER, encoding="utf-8", errors="replace") as source:
        return source.read().rstrip("\n").split("\n")


def is_right(line: str, sensor: int, true: float) -> bool:
    try:
        name, number = line.split(",")
        return int(name) == sensor and abs(float(number) - true) <= TOLERANCE * abs(true)
    except ValueError:
        return False


with open(TRUTH, encoding="utf-8") as source:
    truth = json.load(source)
found = answers()
right = 0
if isinstance(found, str):
    print(found)
elif len(found) != len(truth):
    print(f"{len(found)} lines instead of {len(truth)}")
else:
    for sensor, (line, true) in enumerate(zip(found, truth)):
        good = is_right(line, sensor, true)
        right += good
        print(f"{line[:200]!r} {'is right' if good else f'should be {sensor},{true!r}'}")
with open(REWARD, "w", encoding="utf-8") as out:
    json.dump({"reward": int(right == len(truth)), "right": right / len(truth)}, out)
sys.exit(0)
