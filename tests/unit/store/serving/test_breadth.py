"""One thread while nobody asks, all of them before anything is run, and no wait for oneself."""

import threading
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from store.database import Database, Settings, memory_database
from store.errors import StoreError
from store.loader import LoadReport
from store.serving import breadth
from store.serving.breadth import QUIET_S, Breadth
from store.serving.hosted import Hosted, Options
from store.serving.quack import Quack, rows

THREADS = "SELECT current_setting('threads')"


@pytest.fixture
def database() -> Generator[Database]:
    with memory_database(Settings(threads=3)) as opened:
        yield opened


@dataclass
class Time:
    """Moves by itself only."""

    now_s: float = 100.0

    def __call__(self) -> float:
        return self.now_s


class Deaf:
    """Hears of transactions, and does nothing."""

    def committed(self, report: LoadReport) -> None:
        """A batch is in the tables."""

    def mark(self) -> None:
        """They changed in another way."""


def threads_of(database: Database) -> int:
    ((threads,),) = database.ask(THREADS).rows
    return int(str(threads))


def test_there_is_one_thread_after_a_while_without_a_question(database: Database) -> None:
    time = Time()
    threads = Breadth(database, clock_s=time)
    time.now_s += QUIET_S
    threads.narrow()
    assert threads_of(database) == 3, "too early"
    time.now_s += 0.1
    threads.narrow()
    assert threads_of(database) == 1
    threads.widen()
    assert threads_of(database) == 3
    threads.narrow()
    assert threads_of(database) == 3, "they were wanted just now"


def test_who_has_much_to_ask_has_all_threads_until_the_end(database: Database) -> None:
    time = Time()
    threads = Breadth(database, clock_s=time)
    with threads.held():
        time.now_s += 10
        threads.narrow()
        assert threads_of(database) == 3
    time.now_s += 10
    threads.narrow()
    assert threads_of(database) == 1


def test_a_question_has_all_threads_for_as_long_as_it_takes(database: Database) -> None:
    time = Time()
    threads = Breadth(database, clock_s=time)
    time.now_s += 10
    threads.narrow()
    with threads.used() as may:
        assert may
        assert threads_of(database) == 3
        time.now_s += 10
        threads.narrow()
        assert threads_of(database) == 3, "it is still being answered"
    threads.narrow()
    assert threads_of(database) == 3, "the next one may come at once"
    time.now_s += 10
    threads.narrow()
    assert threads_of(database) == 1


def test_what_cannot_be_set_is_tried_again(database: Database) -> None:
    time = Time()
    threads = Breadth(database, clock_s=time)
    time.now_s += 10
    database.run("SET lock_configuration = true")
    threads.narrow()
    assert threads_of(database) == 3
    with threads.used() as may:
        assert may


@pytest.mark.timeout(60)
def test_questions_that_meet_the_end_of_threads_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB has any of its threads judge a question, also one that is to end."""
    monkeypatch.setattr(breadth, "QUIET_S", -1.0)
    hosted = Hosted(tmp_path / "s.duckdb", Options(settings=Settings(threads=3)), None, Deaf())
    failed: list[Exception] = []

    def ask(client: Quack) -> None:
        for number in range(200):
            try:
                assert client.ask(f"SELECT {number}", rows, lambda: True).rows == [(number,)]
            except StoreError as error:
                # Here threads end a thousand times a second.
                failed.append(error)
        client.close()

    clients = [Quack() for _ in range(3)]
    for client in clients:
        client.connect(hosted.port, hosted.token, lambda: True)
    asking = [threading.Thread(target=ask, args=[client]) for client in clients]
    for one in asking:
        one.start()
    while any(one.is_alive() for one in asking):
        hosted.tidy()
        asking[0].join(0.001)
    assert len(failed) < 60
    hosted.close()
