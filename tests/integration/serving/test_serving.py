"""One server, found or started by whoever asks."""

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
from barograph.daemons import is_held
from barograph.facts import PhaseStarted
from barograph.folder import DataFolder
from store.database import open_database
from store.errors import StoreInputError, StoreRefusal
from store.loader import Loader
from store.reader import Reader
from store.serving.client import Served
from store.serving.files import read_token
from tests.integration.serving.conftest import count_of, run_program, write_more
from tests.servers import server_pid
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


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_a_proxy_of_the_environment_is_not_told_anything(
    name: str, folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would get the token, and could not reach a server on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        with store.connect(folder) as served:
            served.load()
            assert served.ask("SELECT 1").rows == [(1,)]
        proxy.setblocking(False)
        with pytest.raises(BlockingIOError):
            proxy.accept()


def test_what_is_in_the_journal_is_in_the_tables_when_load_returns(
    served: Served, folder: DataFolder
) -> None:
    for _ in range(10):
        events = write_more(folder, 7)
        served.load()
        assert count_of(served) == events


def test_a_stopped_server_ends_frees_its_port_and_is_followed_by_another(
    served: Served, folder: DataFolder
) -> None:
    first = served.status()
    served.stop()
    assert not is_held(folder.serve_lock)
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


def test_stop_ends_whoever_serves_and_says_so_where_nobody_does(
    served: Served, folder: DataFolder
) -> None:
    ended: list[object] = []
    served_by = served.status().pid
    for _ in range(2):
        with run_program("serve", "--stop", "--dir", folder.root, "--json") as program:
            out, err = program.communicate(timeout=60)
            assert (program.returncode, err) == (0, "")
            ended.append(json.loads(out)["ended_pid"])
            open_database(folder.store_file).close()
    assert ended == [served_by, None]


def test_how_the_server_is_can_be_asked_without_starting_one(folder: DataFolder) -> None:
    with run_program("serve", "--status", "--dir", folder.root) as program:
        _, err = program.communicate(timeout=60)
        assert (program.returncode, "no server answers" in err) == (4, True)
    assert not is_held(folder.serve_lock)
    with store.connect(folder) as served:
        served.load()
        with run_program("serve", "--status", "--dir", folder.root, "--json") as program:
            out, err = program.communicate(timeout=60)
        assert (program.returncode, err) == (0, "")
        found = json.loads(out)
        assert (found["pid"], found["last_error"]) == (served.status().pid, None)
        assert found["events"] == len(golden_lines())


def test_whoever_stands_by_takes_over_when_the_server_is_killed(folder: DataFolder) -> None:
    with run_program("serve", "--dir", folder.root) as first:
        assert first.stdout is not None
        assert "Serving" in first.stdout.readline()
        standby = run_program("serve", "--standby", "--dir", folder.root, "--json")
        with standby as second:
            assert second.stderr is not None
            assert f"standing by: process {first.pid}" in second.stderr.readline()
            write_more(folder, 10)
            first.kill()
            assert second.stdout is not None
            until_s = time.monotonic() + WITHIN_S
            said = json.loads("".join(second.stdout.readline() for _ in range(8)))
            assert time.monotonic() < until_s
            assert said["pid"] == second.pid
            with store.connect(folder) as served:
                served.load()
                assert served.audit().ok
                assert not served.status().on_demand
            second.send_signal(signal.SIGINT)
            assert second.wait(60) == 0


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
