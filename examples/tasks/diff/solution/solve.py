"""Myers' greedy algorithm: a step a difference, and one small array of ends a step kept."""

from __future__ import annotations

from array import array

with open("/app/old.txt") as source:
    old = source.read().splitlines()
with open("/app/new.txt") as source:
    new = source.read().splitlines()


def search() -> list[array[int]]:
    """For each number of edits, how far into the old draft each diagonal gets."""
    size = len(old) + len(new)
    ends = array("h", [0]) * (2 * size + 3)
    trace: list[array[int]] = []
    for edits in range(size + 1):
        trace.append(ends[size - edits : size + edits + 3])
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and ends[size + k] < ends[size + k + 2])
            x = ends[size + k + 2] if down else ends[size + k] + 1
            y = x - k
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            ends[size + k + 1] = x
            if x >= len(old) and y >= len(new):
                return trace
    raise AssertionError("unreachable: dropping all and inserting all is a script")


trace = search()
script: list[str] = []
x, y = len(old), len(new)
for edits in range(len(trace) - 1, -1, -1):
    # trace[edits] holds the ends before step `edits`, from diagonal -edits - 1 on
    ends, k = trace[edits], x - y
    down = k == -edits or (k != edits and ends[k + edits] < ends[k + edits + 2])
    from_k = k + 1 if down else k - 1
    from_x = ends[from_k + edits + 1] if edits else 0
    from_y = from_x - from_k if edits else 0
    while x > from_x and y > from_y and (x, y) != (0, 0):
        x, y = x - 1, y - 1
        script.append("=")
    if edits:
        script.append(f"+{new[y - 1]}" if down else "-")
        x, y = from_x, from_y

with open("/app/edits.txt", "w") as out:
    out.writelines(f"{line}\n" for line in reversed(script))
