"""Brokers refuse: whoever we are, or what we send. It waits or is named, and is never lost."""

import time
from collections.abc import Generator
from pathlib import Path

import pytest

from barograph.log.kafka.address import Brokers
from barograph.log.kafka.topics import ensure_topic
from barograph.log.port import LogError
from tests.faults.traffic import WITHIN_S, Traffic, accounted, barograph
from tests.promised import Promised
from tests.services.administering import allow, forbid, make_topic
from tests.services.kafka import Kafka
from tests.services.secured import guarded

pytestmark = pytest.mark.slow

PASSWORD = "correct-horse"  # noqa: S105 - of a broker that lives for one test


def login(user: str) -> dict[str, str]:
    return {"BAROGRAPH_KAFKA_USER": user, "BAROGRAPH_KAFKA_PASSWORD": PASSWORD}


@pytest.fixture
def admin(tmp_path: Path) -> Generator[Brokers]:
    """Who may do everything, with a broker that asks."""
    with guarded(tmp_path / "kafka", {"admin": PASSWORD, "ada": PASSWORD}) as broker:
        brokers = Brokers.of(broker.url, login("admin"))
        deadline = time.monotonic() + WITHIN_S
        while True:
            try:
                ensure_topic(brokers)
                break
            except LogError:  # the port is open before the users are known
                assert time.monotonic() < deadline
        yield brokers


def test_authorisation(
    tmp_path: Path, admin: Brokers, noted: Promised, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in login("ada").items():
        monkeypatch.setenv(name, value)
    traffic = Traffic(tmp_path / "data", admin.url)
    with traffic.flowing():
        refused = traffic.until(lambda now: now.error is not None)
        assert "this user may not do it" in str(refused.error)
        assert "this user may not do it" in str(
            barograph("status", "--dir", traffic.folder.root)["shipping"]
        )
        allow(admin, "ada")
        traffic.until(lambda now: now.error is None and now.complete_t_us is not None)
        forbid(admin, "ada")
        refused = traffic.until(lambda now: now.error is not None)
        assert refused.waiting_bytes > 0
        time.sleep(2)
        allow(admin, "ada")
    assert accounted(traffic, noted, tmp_path / "store").named == frozenset()


def test_records_that_are_too_large(tmp_path: Path, kafka: Kafka, noted: Promised) -> None:
    """Records are halved; a line that cannot be is named, and stays in the journal."""
    brokers = Brokers.of(f"{kafka.url}/small", {})
    make_topic(brokers, {"max.message.bytes": "12000"})
    traffic = Traffic(tmp_path / "data", brokers.url)
    with traffic.flowing("--phase-bytes", "60000", rate=4000):
        time.sleep(8)
    found = accounted(traffic, noted, tmp_path / "store")
    assert len(found.named) >= 7
    assert not found.named & found.pairs
