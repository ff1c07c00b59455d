"""Line by line, with the offset's hours and minutes taken off the local time."""

from collections import Counter
from datetime import UTC, datetime

counts: Counter[tuple[str, str]] = Counter()
pending: tuple[str, str] | None = None

with open("/app/services.log") as source:
    for line in source:
        if line.startswith("Caused by: ") and pending:
            pending = (pending[0], line.split(": ")[1])
        elif line.startswith("20"):
            if pending:
                counts[pending] += 1
            pending = None
            stamp, _host, level, says = line.split(" ", 3)
            if level == "ERROR":
                utc = datetime.fromisoformat(stamp).astimezone(UTC)
                pending = (utc.isoformat()[:13], says.split(":")[0])
if pending:
    counts[pending] += 1

with open("/app/incidents.csv", "w") as out:
    out.writelines(f"{hour},{cause},{count}\n" for (hour, cause), count in sorted(counts.items()))
