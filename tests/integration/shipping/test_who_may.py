"""Brokers that ask who we are: what is said where they do not let us, and never a password."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

from barograph.log.kafka.address import Brokers
from barograph.log.kafka.reading import KafkaLog
from barograph.log.kafka.topics import ensure_topic
from barograph.log.port import LogError
from barograph.shipping.keeping import shipping_of
from tests.services.kafka import Kafka
from tests.services.secured import guarded
from tests.shipping import Journal, counted

RIGHT, WRONG = "correct-horse", "battery-staple"
USERS = {"admin": RIGHT, "ada": RIGHT}


def environment(user: str, password: str) -> dict[str, str]:
    return {"BAROGRAPH_KAFKA_USER": user, "BAROGRAPH_KAFKA_PASSWORD": password}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Generator[Kafka]:
    with guarded(tmp_path_factory.mktemp("guarded"), USERS) as started:
        admin = Brokers.of(started.url, environment("admin", RIGHT))
        deadline = time.monotonic() + 30
        while True:
            try:
                ensure_topic(admin)
                break
            except LogError:  # the port is open before the users are known
                assert time.monotonic() < deadline
        yield started


def barograph(words: list[object], who: dict[str, str]) -> tuple[int, dict[str, object], str]:
    done = subprocess.run(
        [sys.executable, "-m", "ui.cli", *map(str, words), "--json"],
        env=os.environ | who,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, json.loads(done.stdout or "{}"), done.stdout + done.stderr


def states(answer: dict[str, object]) -> dict[str, str]:
    checks = cast("list[dict[str, str]]", answer["checks"])
    return {check["name"]: f"{check['state']}: {check['said']}" for check in checks}


def test_who_may_ships_and_reads(
    broker: Kafka, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = environment("admin", RIGHT)
    for name, value in who.items():
        monkeypatch.setenv(name, value)
    journal = Journal(tmp_path / "data", broker.url)
    journal.write(500)
    journal.ship_all()
    log = KafkaLog(Brokers.of(broker.url, who))
    assert counted(log) == journal.said
    log.close()


@pytest.mark.parametrize(
    ("who", "words"),
    [
        (environment("admin", WRONG), "does not know this user, password or mechanism"),
        (environment("nobody", RIGHT), "does not know this user, password or mechanism"),
        (environment("ada", RIGHT), "this user may not do it"),
    ],
    ids=["wrong password", "unknown user", "not allowed"],
)
def test_who_may_not_is_told_why_and_nothing_is_lost(
    broker: Kafka,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    who: dict[str, str],
    words: str,
) -> None:
    for name, value in who.items():
        monkeypatch.setenv(name, value)
    journal = Journal(tmp_path / "data", broker.url)
    journal.write(50)
    with journal.staying():
        deadline = time.monotonic() + 60
        while (found := shipping_of(journal.folder)) is None or found.error is None:
            assert time.monotonic() < deadline, "nobody says why"
            time.sleep(0.1)
        assert words in found.error
        assert found.waiting_bytes > 0
        written = [file for file in journal.folder.root.rglob("*") if file.is_file()]
        assert len(written) > 2
        for file in written:
            assert who["BAROGRAPH_KAFKA_PASSWORD"].encode() not in file.read_bytes(), file
    with pytest.raises(LogError, match=words):
        list(KafkaLog(Brokers.of(broker.url, who)).read({}))


def test_the_doctor_says_what_is_wrong_with_a_broker(broker: Kafka) -> None:
    code, answer, said = barograph(["doctor", "--log", broker.url], environment("admin", RIGHT))
    assert code == 0, said
    found = states(answer)
    assert found["permission"] == "ok: this user may read and write"
    assert found["topic"].startswith("ok: barograph.events: 6 partitions")
    assert found["copies"].startswith("warn: 1 replicas")
    for who, words in (
        (environment("admin", WRONG), "does not know this user"),
        (environment("ada", RIGHT), "this user may not do it"),
    ):
        code, answer, said = barograph(["doctor", "--log", broker.url], who)
        assert code == 4
        assert words in states(answer)["brokers"]
        assert WRONG not in said


def test_the_doctor_misses_a_topic_and_a_broker(kafka: Kafka) -> None:
    code, answer, _ = barograph(["doctor", "--log", f"{kafka.url}/not-there"], {})
    assert (code, states(answer)["topic"]) == (0, "warn: there is no topic not-there")
    code, answer, _ = barograph(["doctor", "--log", "kafka:127.0.0.1:1"], {})
    assert code == 4
    assert "does not answer (Connection refused)" in states(answer)["broker 127.0.0.1:1"]
