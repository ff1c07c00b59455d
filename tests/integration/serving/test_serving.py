"""One server, found or started by whoever asks, and found again when it was killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import store
from barograph.daemons import is_held, lives
from barograph.facts import PhaseStarted
from barograph.folder import DataFolder
from store.database import open_database
from store.errors import StoreInputError, StoreRefusal
from store.loader import Loader
from store.reader import Reader
from store.serving.client import Served
from store.serving.files import read_token
from tests.integration.serving.conftest import count_of, run_program, write_more
from tests.servers import server_pid, stop_servers
from tests.stores import golden_lines, memory_log

WITHIN_S = 30.0
ASK = """
import sys, store
with store.connect(sys.argv[1]) as served:
    print(served.load().events, served.status().pid)
"""


def wait_until_free(folder: DataFolder) -> None:
    until_s = time.monotonic() + WITHIN_S
    while is_held(folder.serve_lock):
        assert time.monotonic() < until_s, "the server does not end"
        time.sleep(0.02)


def test_it_answers_as_the_file_does(served: Served, folder: DataFolder, tmp_path: Path) -> None:
    with open_database(tmp_path / "own.duckdb") as database:
        with Loader(database) as loader:
            loader.load(memory_log(golden_lines()))
        mine, theirs = Reader(database), served.reader()
        assert theirs.tries(outcomes_only=False) == mine.tries(outcomes_only=False)
        assert theirs.sweeps() == mine.sweeps()
        assert theirs.counts() == mine.counts()
        for row in mine.trials():
            assert theirs.story(row.trial) == mine.story(row.trial)
    assert served.audit().ok


def test_many_that_start_it_at_once_get_one_server(folder: DataFolder) -> None:
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", ASK, folder.root], stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    said = [starter.communicate(timeout=120)[0].split() for starter in starters]
    assert [starter.returncode for starter in starters] == [0] * 6
    assert len({pid for _, pid in said}) == 1
    assert max(int(events) for events, _ in said) == len(golden_lines())


def test_it_follows_the_journal_and_readers_read_meanwhile(
    served: Served, folder: DataFolder
) -> None:
    before, ending, events = served.watermark(), threading.Event(), 0

    def read() -> int:
        asked = 0
        with store.connect(folder) as mine:
            while not ending.is_set():
                assert count_of(mine) % 50 == 0  # a batch is there or not
                asked += 1
        return asked

    with ThreadPoolExecutor(2) as readers:
        reading = [readers.submit(read) for _ in range(2)]
        for _ in range(20):
            events = write_more(folder, 50)
            time.sleep(0.02)
        until_s = time.monotonic() + WITHIN_S
        while count_of(served) < events:
            assert time.monotonic() < until_s
        ending.set()
        assert all(one.result() > 1 for one in reading)
    served.load()
    assert served.watermark() > before
    status = served.status()
    assert status.last_error is None
    assert status.events >= events
    assert status.lag_s is not None
    assert status.clients >= 1
    assert served.audit().ok


def test_what_is_in_the_journal_is_in_the_tables_when_load_returns(
    served: Served, folder: DataFolder
) -> None:
    for _ in range(10):
        events = write_more(folder, 7)
        served.load()
        assert count_of(served) == events


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


def test_a_stopped_server_ends_frees_its_port_and_is_followed_by_another(
    served: Served, folder: DataFolder
) -> None:
    first = served.status()
    served.stop()
    wait_until_free(folder)
    assert not folder.serve_socket.exists()
    assert not folder.serve_token.exists()
    assert folder.write_token.exists()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", first.port))
    assert not Path(f"{folder.store_file}.wal").exists()  # it ended with a checkpoint
    assert served.ask("SELECT 1").rows == [(1,)]
    assert served.status().pid != first.pid
    assert served.watermark() > first.watermark


def test_serve_says_where_it_is_and_a_second_refuses(folder: DataFolder) -> None:
    with run_program("serve", "--dir", folder.root, "--json") as first:
        assert first.stdout is not None
        lines = [first.stdout.readline() for _ in range(8)]
        said = json.loads("".join(lines))
        assert said["pid"] == first.pid
        with run_program("serve", "--dir", folder.root) as second:
            out, err = second.communicate(timeout=60)
            assert second.returncode == 3
            assert (out, err.count("\n")) == ("", 1)
            assert f"process {first.pid} serves this store already" in err
        with store.connect(folder) as served:
            assert served.status().pid == first.pid
            assert not served.status().on_demand
        first.send_signal(signal.SIGINT)
        out, err = first.communicate(timeout=60)
        assert (first.returncode, err) == (0, "")
    assert not is_held(folder.serve_lock)


def test_unasked_it_ends(folder: DataFolder) -> None:
    with run_program("serve", "--dir", folder.root, "--idle-s", "1") as program:
        out, _ = program.communicate(timeout=60)
        assert program.returncode == 0
        assert "Serving" in out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_well(number: signal.Signals, served: Served, folder: DataFolder) -> None:
    pid = server_pid(folder.root)
    assert pid is not None
    os.kill(pid, number)
    wait_until_free(folder)
    assert not Path(f"{folder.store_file}.wal").exists()
    assert not folder.serve_socket.exists()


def test_it_ends_when_its_folder_goes(served: Served, folder: DataFolder) -> None:
    pid = server_pid(folder.root)
    assert pid is not None
    folder.root.rename(folder.root.with_name("elsewhere"))
    until_s = time.monotonic() + WITHIN_S
    while lives(pid):
        assert time.monotonic() < until_s
        time.sleep(0.05)


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
    stop_servers(folder.root)
    with open_database(folder.store_file) as database:
        database.run("UPDATE store_format SET number = 999")
    with pytest.raises(StoreInputError, match="newer version"):
        served.ask("SELECT 1")


def test_words_need_the_write_token_and_a_type_that_people_say(
    served: Served, folder: DataFolder
) -> None:
    assert len(read_token(folder.write_token)) >= 32
    with pytest.raises(StoreInputError, match="people do not say this"):
        served.append(PhaseStarted(phase="agent", limit_s=None))
    folder.write_token.write_text("0" * 48)
    folder.write_token.unlink()
    with pytest.raises(StoreRefusal, match="token"):
        served.append(PhaseStarted(phase="agent", limit_s=None))


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
