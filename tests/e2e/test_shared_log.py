"""A real sweep through a real broker: the same answers here, and on a machine that only reads."""

import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from tests.services.kafka import Kafka

pytestmark = pytest.mark.root


def barograph(*words: object, code: int = 0) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "ui.cli", *map(str, words), "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == code, done.stderr
    answer: dict[str, object] = json.loads(done.stdout) if done.stdout else {}
    return {**answer, "said": done.stderr}


def test_a_sweep_goes_through_the_brokers(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    with Kafka(tmp_path / "kafka") as broker:
        demo = barograph("demo", "--small", "--log", broker.url, "--dir", here)
        assert barograph("ship", "--once", "--dir", here, code=0)["waiting_bytes"] == 0
        assert barograph("verify", "--dir", here)["faults"] == 0
        barograph("load", "--log", broker.url, "--dir", there)
        assert barograph("verify", "--dir", there)["faults"] == 0
        ours, theirs = (barograph("report", "--dir", one) for one in (here, there))
        assert ours["analysis"] == theirs["analysis"] == demo["analysis"]
    # Whoever only reads is answered from what was loaded, and told that it is not all.
    barograph("note", "the broker died", "--host", platform.node(), "--dir", here)
    status = barograph("status", "--dir", here)
    shipping = cast("dict[str, object]", status["shipping"])
    assert shipping["waiting_bytes"] != 0
    assert "no broker answers" in str(shipping["error"])
    assert "not all is in this answer" in str(status["said"])
    assert "not acknowledged yet" in str(barograph("verify", "--dir", here, code=4)["said"])


def test_a_folder_has_one_shared_log(tmp_path: Path, kafka: Kafka) -> None:
    folder = tmp_path / "data"
    barograph("load", "--log", f"{kafka.url}/one", "--dir", folder)
    refused = barograph("load", "--log", f"{kafka.url}/two", "--dir", folder, code=2)
    assert f"is shipped to {kafka.url}/one" in str(refused["said"])


def test_a_log_that_is_none_is_refused(tmp_path: Path) -> None:
    for url in ("nats:a:1", "kafka:a", "kafka:user:secret@a:1", "journal:/tmp"):
        refused = barograph("load", "--log", url, "--dir", tmp_path / "data", code=2)
        said = str(refused["said"])
        assert said.startswith("barograph: ")
        assert said.count("\n") == 1
        assert "secret" not in said
