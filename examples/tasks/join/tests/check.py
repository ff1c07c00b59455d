"""Judge /app/kilograms.csv against /tests/expected.csv, line by line."""

import os
import stat
import sys

ANSWER = "/app/kilograms.csv"
TRUTH = "/tests/expected.csv"
MOST_BYTES = 1 << 20


def lines_of(path: str) -> list[str]:
    with open(path, encoding="utf-8", errors="replace") as source:
        return source.read().rstrip("\n").split("\n")


def fault() -> str | None:
    """What is wrong with the answer; None when nothing is."""
    try:
        status = os.lstat(ANSWER)
    except OSError as problem:
        return f"no answer: {problem}"
    if not stat.S_ISREG(status.st_mode):
        return f"{ANSWER} is no regular file"
    if status.st_size > MOST_BYTES:
        return f"{ANSWER} has {status.st_size} bytes, far more than any right answer"
    answer, truth = lines_of(ANSWER), lines_of(TRUTH)
    for number, (said, true) in enumerate(zip(answer, truth), start=1):
        if said != true:
            return f"line {number} says {said[:200]!r} and should say {true!r}"
    if len(answer) != len(truth):
        return f"{len(answer)} lines instead of {len(truth)}"
    return None


problem = fault()
print(problem or "right")
sys.exit(10 if problem else 0)
