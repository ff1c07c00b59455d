"""Keep every contact in one dictionary: normalised text to the line that came first."""

with open("/app/contacts.txt", encoding="utf-8") as source:
    lines = source.readlines()

first: dict[str, str] = {}
for line in lines:
    first.setdefault(" ".join(line.casefold().split()), line)

with open("/app/unique.txt", "w", encoding="utf-8") as out:
    out.writelines(first.values())
