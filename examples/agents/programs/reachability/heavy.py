"""The transitive closure, one bit set a file, from the last file to the first."""

includes: list[list[int]] = []
with open("/app/includes.txt") as source:
    for line in source:
        _file, _colon, names = line.partition(":")
        includes.append([int(name) for name in names.split()])

# closure[f] has bit (last - g) for every file g that f reaches, and for f itself
last = len(includes) - 1
closure = [0] * len(includes)
for file in range(last, -1, -1):
    bits = 1 << (last - file)
    for included in includes[file]:
        bits |= closure[included]
    closure[file] = bits

reached = [bits.bit_count() - 1 for bits in closure]
ranking = sorted(range(len(reached)), key=lambda file: (-reached[file], file))
with open("/app/reach.txt", "w") as out:
    out.write(f"{sum(reached)}\n")
    out.writelines(f"{file} {reached[file]}\n" for file in ranking[:10])
