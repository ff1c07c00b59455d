"""Read the whole log, cut it into entries, parse each into a record, then group the records."""

import re
from collections import Counter
from datetime import datetime, timedelta

with open("/app/services.log") as source:
    text = source.read()

entries = re.split(r"^(?=\d{4}-\d\d-\d\dT)", text, flags=re.MULTILINE)[1:]
records = []
for entry in entries:
    first, *rest = entry.splitlines()
    stamp, host, level, says = first.split(" ", 3)
    local = datetime.fromisoformat(stamp[:19])
    records.append(
        {
            "utc": local - timedelta(hours=int(stamp[19:22])),
            "host": host,
            "level": level,
            "says": says,
            "trace": rest,
        }
    )

counts: Counter[tuple[str, str]] = Counter()
for record in records:
    if record["level"] != "ERROR":
        continue
    causes = [line for line in record["trace"] if line.startswith("Caused by: ")]
    named = causes[-1].removeprefix("Caused by: ") if causes else record["says"]
    counts[record["utc"].isoformat()[:13], named.split(":")[0]] += 1

with open("/app/incidents.csv", "w") as out:
    out.writelines(f"{hour},{cause},{count}\n" for (hour, cause), count in sorted(counts.items()))
