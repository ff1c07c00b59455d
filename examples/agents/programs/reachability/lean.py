"""The transitive closure from the last file to the first, keeping the bit sets still needed.

No file includes one more than 1,000 above it, so a file's bit set can go once the sweep is
1,000 files below it.
"""

import heapq
from array import array

WINDOW = 1_000

first = array("l", [0])  # the files that f includes are included[first[f] : first[f + 1]]
included = array("l")
with open("/app/includes.txt") as source:
    for line in source:
        _file, _colon, names = line.partition(":")
        included.extend(map(int, names.split()))
        first.append(len(included))

files = len(first) - 1
window = [0] * (WINDOW + 1)
reached = array("l", [0]) * files
for file in range(files - 1, -1, -1):
    bits = 1 << (files - 1 - file)
    for target in included[first[file] : first[file + 1]]:
        bits |= window[target % (WINDOW + 1)]
    window[file % (WINDOW + 1)] = bits
    reached[file] = bits.bit_count() - 1

ranking = heapq.nsmallest(10, range(files), key=lambda file: (-reached[file], file))
with open("/app/reach.txt", "w") as out:
    out.write(f"{sum(reached)}\n")
    out.writelines(f"{file} {reached[file]}\n" for file in ranking)
