"""Judge /app/answers.json number by number; the reward is 1 only when all are right."""

import json
import os
import stat
import sys

ANSWER = "/app/answers.json"
TRUTH = "/tests/expected.json"
REWARD = "/logs/verifier/reward.json"
TOLERANCE = 1e-6
MOST_BYTES = 1 << 16


def answers() -> list[float] | str:
    """The numbers that were answered, or what is wrong with the file."""
    try:
        status = os.lstat(ANSWER)
    except OSError as problem:
        return f"no answer: {problem}"
    if not stat.S_ISREG(status.st_mode):
        return f"{ANSWER} is no regular file"
    if status.st_size > MOST_BYTES:
        return f"{ANSWER} has {status.st_size} bytes, far more than any right answer"
    try:
        with open(ANSWER, encoding="utf-8") as source:
            found = json.load(source)
    except (ValueError, RecursionError) as problem:
        return f"{ANSWER} is not JSON: {problem}"
    if not isinstance(found, list):
        return f"{ANSWER} is no list"
    return [number(one) for one in found]


def number(said: object) -> float:
    try:
        return float(said) if type(said) in {int, float} else float("nan")
    except OverflowError:
        return float("nan")


with open(TRUTH, encoding="utf-8") as source:
    truth = json.load(source)
found = answers()
right = 0
if isinstance(found, str):
    print(found)
elif len(found) != len(truth):
    print(f"{len(found)} answers instead of {len(truth)}")
else:
    for number, (said, true) in enumerate(zip(found, truth), start=1):
        good = abs(said - true) <= TOLERANCE
        right += good
        print(f"query {number}: {said!r} {'is right' if good else f'should be {true!r}'}")
with open(REWARD, "w", encoding="utf-8") as out:
    json.dump({"reward": int(right == len(truth)), "right": right / len(truth)}, out)
sys.exit(0)
