"""The server killed, starved, robbed of its file: clients recover, and nothing is lost."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

import store
from barograph.daemons import lives
from barograph.folder import DataFolder
from store.database import open_database
from store.errors import StoreError, StoreInputError, StoreRefusal, UnreachableError
from store.serving.client import Served
from tests.integration.serving.conftest import count_of, run_program, write_more
from tests.servers import server_pid
from tests.stores import golden_lines

WITHIN_S = 30.0


def test_killed_it_is_started_again_by_whoever_asks(served: Served, folder: DataFolder) -> None:
    with store.connect(folder) as other:
        for ask in (
            lambda: served.ask("SELECT 1"),
            other.watermark,
            served.load,
            lambda: count_of(other),
            served.audit,
        ):
            write_more(folder, 100)
            pid = server_pid(folder.root)
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            ask()
            assert server_pid(folder.root) != pid
        events = write_more(folder, 1)
        other.load()
        assert count_of(served) == count_of(other) == events
    assert served.audit().ok


def test_killed_under_load_it_loses_and_doubles_nothing(folder: DataFolder) -> None:
    events = 0
    with store.connect(folder) as served:
        for _ in range(3):
            events = write_more(folder, 20_000)
            pid = server_pid(folder.root)
            assert pid is not None
            with ThreadPoolExecutor(1) as loading:
                done = loading.submit(served.load)
                time.sleep(0.15)
                os.kill(pid, signal.SIGKILL)
                done.result(timeout=120)
        assert count_of(served) == events
        assert served.audit().ok


def test_it_ends_when_its_folder_goes(served: Served, folder: DataFolder) -> None:
    pid = server_pid(folder.root)
    assert pid is not None
    folder.root.rename(folder.root.with_name("elsewhere"))
    until_s = time.monotonic() + WITHIN_S
    while lives(pid):
        assert time.monotonic() < until_s
        time.sleep(0.05)


def test_one_that_does_nothing_any_more_keeps_nobody_from_leaving(folder: DataFolder) -> None:
    served = store.connect(folder)
    served.ask("SELECT 1")
    pid = served.status().pid
    os.kill(pid, signal.SIGSTOP)
    try:
        leaving = threading.Thread(target=served.close, daemon=True)
        leaving.start()
        leaving.join(WITHIN_S)
        assert not leaving.is_alive()
    finally:
        os.kill(pid, signal.SIGCONT)


def test_one_that_does_nothing_any_more_is_not_waited_for(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = served.status().pid
    os.kill(pid, signal.SIGSTOP)
    try:
        with monkeypatch.context() as hasty:
            for name in (
                "quack._LOOK_EVERY_S",
                "starting.ANSWER_WITHIN_S",
                "starting.START_WITHIN_S",
            ):
                hasty.setattr(f"store.serving.{name}", 0.5)
            # In a thread: where this fails, not even the signal of a time limit would be heard.
            with pytest.raises(UnreachableError):
                _result(lambda: served.ask("SELECT 1"))
    finally:
        os.kill(pid, signal.SIGCONT)
    assert served.ask("SELECT 1").rows == [(1,)]


def _result(work: Callable[[], object]) -> object:
    done: Future[object] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except StoreError as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done.result(WITHIN_S)


def test_made_anew_it_holds_the_same_and_readers_recover(
    served: Served, folder: DataFolder
) -> None:
    events = write_more(folder, 3_000)
    served.load()
    whole, ending = served.reader().counts(), threading.Event()

    def read() -> set[int]:
        seen: set[int] = set()
        with store.connect(folder) as mine:
            while not ending.is_set():
                seen.add(count_of(mine))
        return seen

    with ThreadPoolExecutor(1) as readers:
        reading = readers.submit(read)
        for _ in range(3):
            report = served.rebuild()
            assert report.events == whole.events
            assert served.reader().counts() == whole
        ending.set()
        assert reading.result() <= {0, events}
    assert served.audit().ok


def test_a_file_deleted_under_it_is_made_again(served: Served, folder: DataFolder) -> None:
    whole, pid = served.reader().counts(), served.status().pid
    folder.store_file.unlink()
    served.load()
    assert folder.store_file.exists()
    assert served.reader().counts() == whole
    assert served.status().pid == pid


def test_a_journal_that_was_shortened_is_said_and_the_rest_still_answered(
    served: Served, folder: DataFolder
) -> None:
    os.truncate(folder.journal / "golden.000000.jsonl", 100)
    with pytest.raises(Exception, match="never shortened") as told:
        served.load()
    assert getattr(told.value, "exit_code", None) == 4
    assert "never shortened" in str(served.status().last_error)
    assert served.ask("SELECT 1").rows == [(1,)]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"not a database " * 1000, "no store"), (b"", None)],
    ids=["corrupted", "empty"],
)
def test_a_store_that_is_none_is_said_as_before_or_made(
    content: bytes, words: str | None, folder: DataFolder
) -> None:
    folder.store_file.write_bytes(content)
    if words is None:
        store.connect(folder).close()
        return
    with pytest.raises(StoreInputError, match=words):
        store.connect(folder)
    with run_program("load", "--rebuild", "--dir", folder.root, "--json") as program:
        out, err = program.communicate(timeout=120)
        assert program.returncode == 0, err
    assert json.loads(out)["report"]["events"] == len(golden_lines())


def test_a_store_of_a_newer_version_is_refused(served: Served, folder: DataFolder) -> None:
    served.stop()
    with open_database(folder.store_file) as database:
        database.run("UPDATE store_format SET number = 999")
    with pytest.raises(StoreInputError, match="newer version"):
        served.ask("SELECT 1")


def test_readers_that_want_all_memory_do_not_stop_the_loader(folder: DataFolder) -> None:
    hungry = "SELECT list(repeat('x', 1000) || i) FROM range(3000000) t(i)"
    bounds = ("--memory", "300MiB", "--query-limit-s", "5")
    ending = threading.Event()

    def want() -> int:
        refused = 0
        with store.connect(folder) as mine:
            while not ending.is_set():
                with pytest.raises(StoreRefusal):
                    mine.ask(hungry)
                refused += 1
        return refused

    program = run_program("serve", "--dir", folder.root, *bounds)
    try:
        assert program.stdout is not None
        assert "Serving" in program.stdout.readline()
        with ThreadPoolExecutor(2) as readers, store.connect(folder) as served:
            wanting = [readers.submit(want) for _ in range(2)]
            events = 0
            try:
                for _ in range(4):
                    events = write_more(folder, 4_000)
                    served.load()
                    assert served.status().last_error is None
            finally:
                ending.set()
            assert all(one.result() > 0 for one in wanting)
            assert count_of(served) == events
            same = served.status().pid == program.pid
    finally:
        program.terminate()
        _, err = program.communicate(timeout=60)
    assert (program.returncode, err) == (0, "")
    assert same
