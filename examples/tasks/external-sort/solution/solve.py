"""Sort runs of a few thousand lines to files, then merge the files."""

import heapq
import os
from contextlib import ExitStack
from itertools import islice

RUN = 6_000


def key(line: str) -> tuple[float, str]:
    _number, payee, amount, _memo = line.split("|")
    return -float(amount), payee.casefold()


runs: list[str] = []
with open("/app/payments.txt", encoding="utf-8") as source:
    while run := sorted(islice(source, RUN), key=key):
        runs.append(f"/tmp/run-{len(runs)}.txt")
        with open(runs[-1], "w", encoding="utf-8") as out:
            out.writelines(run)

with ExitStack() as stack:
    out = stack.enter_context(open("/app/sorted.txt", "w", encoding="utf-8"))
    files = [stack.enter_context(open(run, encoding="utf-8")) for run in runs]
    # both sorted() and merge() keep the order of equals, and the runs are in file order
    out.writelines(heapq.merge(*files, key=key))

for run in runs:
    os.remove(run)
