"""Judge /app/edits.txt: apply it to the old draft, compare with the new one, count its edits."""

import hashlib
import json
import os
import stat
import sys

ANSWER = "/app/edits.txt"
DRAFTS = ("/app/old.txt", "/app/new.txt")
TRUTH = "/tests/expected.json"
MOST_BYTES = 1 << 20


def lines_of(path: str) -> list[str]:
    with open(path, encoding="utf-8", errors="replace") as source:
        return source.read().rstrip("\n").split("\n")


def apply(edits: list[str], old: list[str]) -> list[str] | str:
    """The draft that the script makes of the old one, or what is wrong with the script."""
    result: list[str] = []
    place = 0
    for number, edit in enumerate(edits, start=1):
        if edit.startswith("+"):
            result.append(edit[1:])
            continue
        if edit not in {"=", "-"}:
            return f"line {number} is no edit: {edit[:200]!r}"
        if place == len(old):
            return f"line {number} is beyond the end of the old draft"
        if edit == "=":
            result.append(old[place])
        place += 1
    if place < len(old):
        return f"the script ends before line {place + 1} of the old draft"
    return result


def fault() -> str | None:
    """What is wrong with the answer; None when nothing is."""
    with open(TRUTH, encoding="utf-8") as source:
        truth = json.load(source)
    try:
        for draft in DRAFTS:
            with open(draft, "rb") as source:
                if hashlib.sha256(source.read(MOST_BYTES)).hexdigest() != truth["sha256"][draft]:
                    return f"{draft} was changed"
        status = os.lstat(ANSWER)
    except OSError as problem:
        return f"no answer: {problem}"
    if not stat.S_ISREG(status.st_mode):
        return f"{ANSWER} is no regular file"
    if status.st_size > MOST_BYTES:
        return f"{ANSWER} has {status.st_size} bytes, far more than any right answer"
    edits = lines_of(ANSWER)
    made = apply(edits, lines_of(DRAFTS[0]))
    if isinstance(made, str):
        return made
    if made != lines_of(DRAFTS[1]):
        return "the script does not yield the new draft"
    count = sum(edit != "=" for edit in edits)
    if count != truth["edits"]:
        return f"{count} edits, and {truth['edits']} are enough"
    return None


problem = fault()
print(problem or "right")
sys.exit(10 if problem else 0)
