"""The peers' environment, which is none of ours: made from a lock of its own when first needed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from barograph.metrics import METRIC_NAMES
from bench.shared_log.topic import ROOT, Took, run
from tests.services.kafka import Kafka

_LOCK: Final = ROOT / "requirements" / "peers.lock"
_PROGRAM: Final = Path(__file__).with_name("peer.py")


def environment() -> Path:
    """Its Python."""
    folder = Path(sys.prefix) / "peers"
    python, made_of = folder / "bin" / "python", folder / "peers.lock"
    if not made_of.exists() or made_of.read_bytes() != _LOCK.read_bytes():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = ["install", "--require-hashes", "--only-binary", ":all:", "--no-deps"]
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
        subprocess.run([*pip, *install, "-r", str(_LOCK)], check=True)
        made_of.write_bytes(_LOCK.read_bytes())
    return python


def load(way: str, kafka: Kafka, topic: str, database: Path, samples: int) -> tuple[int, Took]:
    """Have a peer load a topic; how many samples it had in the end, and what that took."""
    asked = {"--servers": kafka.address, "--topic": topic, "--database": database}
    words = [str(word) for pair in asked.items() for word in pair] + ["--samples", str(samples)]
    command = [str(environment()), str(_PROGRAM), way, *words, "--metrics", *METRIC_NAMES]
    database.unlink(missing_ok=True)
    outer, out = run(command, kafka)
    told = json.loads(out.splitlines()[-1])
    return told.pop("samples"), Took(**told, others=outer.others)
