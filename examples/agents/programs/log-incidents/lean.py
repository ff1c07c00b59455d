"""Follow the log line by line; an entry is counted when the next one starts."""

from collections import Counter

counts: Counter[tuple[str, str]] = Counter()
pending: tuple[str, str] | None = None

with open("/app/services.log") as source:
    for line in source:
        if line.startswith("Caused by: ") and pending:
            pending = (pending[0], line.split(": ")[1])
        elif line.startswith("20"):
            if pending:
                counts[pending] += 1
            stamp, _host, level, says = line.split(" ", 3)
            pending = (stamp[:13], says.split(":")[0]) if level == "ERROR" else None
if pending:
    counts[pending] += 1

with open("/app/incidents.csv", "w") as out:
    out.writelines(f"{hour},{cause},{count}\n" for (hour, cause), count in sorted(counts.items()))
