"""Brokers that speak TLS: trusted, all goes as ever; not trusted, one sentence says so."""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from barograph.log.kafka.address import Brokers
from barograph.log.kafka.reading import KafkaLog
from barograph.log.kafka.topics import ensure_topic
from tests.services.kafka import Kafka
from tests.services.secured import certificate, secured
from tests.shipping import Journal, counted

PASSWORD = "correct-horse"  # noqa: S105 - of a broker that lives for one test
LOGIN = {"BAROGRAPH_KAFKA_USER": "admin", "BAROGRAPH_KAFKA_PASSWORD": PASSWORD}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("secured")


@pytest.fixture(scope="module")
def broker(folder: Path) -> Generator[Kafka]:
    with secured(folder, {"admin": PASSWORD}) as started:
        yield started


def test_what_is_trusted_ships_and_reads(
    broker: Kafka, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = {**LOGIN, "BAROGRAPH_KAFKA_CA_FILE": str(folder / "ca.pem")}
    for name, value in who.items():
        monkeypatch.setenv(name, value)
    brokers = Brokers.of(broker.url, who)
    ensure_topic(brokers)
    journal = Journal(tmp_path / "data", broker.url)
    journal.write(500)
    journal.ship_all()
    log = KafkaLog(brokers)
    assert counted(log) == journal.said
    log.close()


@pytest.mark.parametrize(
    ("trusted", "words"),
    [
        ("another authority", "the broker's certificate is not trusted ("),
        ("no TLS", "speaks TLS, and we do not"),
    ],
)
def test_what_is_not_trusted_is_told(
    broker: Kafka, tmp_path: Path, trusted: str, words: str
) -> None:
    certificate(tmp_path, "other")
    who = dict(LOGIN)
    if trusted == "another authority":
        who["BAROGRAPH_KAFKA_CA_FILE"] = str(tmp_path / "other.pem")
    # In a process of its own, as a user asks: the client leaves its sockets open.
    done = subprocess.run(
        [sys.executable, "-m", "ui.cli", "doctor", "--log", broker.url],
        env=os.environ | who,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert words in done.stdout
    assert PASSWORD not in done.stdout + done.stderr
    assert done.returncode == 4
