#!/bin/bash
python3 - <<'PY'
import json
from pathlib import Path

answer = Path("count.txt")
found = answer.read_text().strip() if answer.exists() else ""
Path("/logs/verifier/reward.json").write_text(
    json.dumps({"reward": float(found == "1000"), "answered": float(bool(found))})
)
PY
