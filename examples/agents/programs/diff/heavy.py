"""The longest common subsequence by the full table of (length, last edit), then walk back."""

with open("/app/old.txt") as source:
    old = source.read().splitlines()
with open("/app/new.txt") as source:
    new = source.read().splitlines()

# table[i][j]: for old[:i] and new[:j], how many lines can be kept, and the last edit that does it
table = [[(0, "+")] * (len(new) + 1)]
for line in old:
    above = table[-1]
    row = [(0, "-")]
    for j, other in enumerate(new):
        if line == other:
            row.append((above[j][0] + 1, "="))
        elif above[j + 1][0] >= row[j][0]:
            row.append((above[j + 1][0], "-"))
        else:
            row.append((row[j][0], "+"))
    table.append(row)

edits: list[str] = []
i, j = len(old), len(new)
while i or j:
    edit = table[i][j][1]
    edits.append(f"+{new[j - 1]}" if edit == "+" else edit)
    i -= edit != "+"
    j -= edit != "-"

with open("/app/edits.txt", "w") as out:
    out.writelines(f"{edit}\n" for edit in reversed(edits))
