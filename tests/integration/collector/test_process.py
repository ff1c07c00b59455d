"""The collector as a process: started, adopted, killed, restarted, spoken to in any manner."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from barograph.facts import (
    CollectorSelf,
    HostInfo,
    HostSample,
    OomKill,
    ProbeUnavailable,
    Sample,
    SandboxDestroyed,
    TickMissed,
)
from barograph.folder import DataFolder
from collector.client import CollectorClient
from collector.protocol import Watch
from tests.cells import MIB, cell, eat, need_memory_cgroup
from tests.integration.collector.watching import Watching, alive, until, watching

CEILING = 24 * MIB
TOO_MUCH = eat(200 * MIB)


@pytest.fixture
def watcher(tmp_path: Path) -> Iterator[Watching]:
    need_memory_cgroup()
    with watching(tmp_path / "data") as made:
        yield made


def test_a_target_is_sampled_each_second_and_its_end_is_on_disk_before_the_answer(
    watcher: Watching,
) -> None:
    with cell(limit_bytes=64 * MIB) as target:
        watcher.watch("t", target)
        process = target.start(eat(30 * MIB, hold_s=60))
        time.sleep(2.6)
        process.kill()
        process.wait()
        final = watcher.client.finish("t")
        [end] = watcher.payloads(SandboxDestroyed, "t")
    assert final["peak_bytes"] == end.peak_bytes
    assert end.peak_bytes is not None
    assert end.peak_bytes >= 30 * MIB
    assert (end.reason, end.read_by) == ("finished", "collector")
    samples = watcher.payloads(Sample, "t")
    assert end.samples == len(samples) >= 3
    assert sum(sample.interval_us or 0 for sample in samples) > 2_500_000
    assert max(sample.peak_bytes or 0 for sample in samples) == end.peak_bytes
    assert sum(sample.cpu_usage_us or 0 for sample in samples) > 0
    for event in watcher.events():
        if isinstance(event.payload, Sample):
            assert (event.belongs.sweep, event.belongs.trial) == ("s1", "trial-t")
            assert event.belongs.try_no == 1


def test_the_host_and_the_collector_itself_are_told(watcher: Watching) -> None:
    time.sleep(2.2)
    watcher.close()
    [host] = watcher.payloads(HostInfo)
    assert host.cores == os.cpu_count()
    samples = watcher.payloads(HostSample)
    assert len(samples) >= 2
    assert all(sample.oom_kill_total is not None for sample in samples)
    assert all(sample.cpu_busy_us is not None for sample in samples)
    [cost] = watcher.payloads(CollectorSelf)
    assert cost.rss_bytes is not None
    assert cost.rss_bytes < 40 * MIB
    assert cost.ticks >= 2
    watcher.check_sequences()


def test_a_killed_collector_loses_no_kill(watcher: Watching) -> None:
    with cell(limit_bytes=CEILING) as first, cell(limit_bytes=CEILING) as second:
        watcher.watch("a", first)
        watcher.watch("b", second)
        pids = [first.run(TOO_MUCH)[0]]
        until(lambda: len(watcher.kills("a")) == 1, "the first kill was not told")
        watcher.kill_collector()
        pids += [first.run(TOO_MUCH)[0] for _ in range(2)]
        other = second.run(TOO_MUCH)[0]
        watcher.reconnect()
        watcher.watch("a", first)
        watcher.watch("b", second)
        pids.append(first.run(TOO_MUCH)[0])
        for name in ("a", "b"):
            watcher.client.finish(name)
        assert (first.kills, second.kills) == (4, 1)
    assert watcher.victims("a") == pids
    assert watcher.victims("b") == [other]
    assert watcher.foreign_kills() == []
    # What the predecessor told is not told again.
    ordinals = [fact.ordinal for fact in watcher.payloads(OomKill, "a")]
    assert sorted(ordinals) == [1, 2, 3, 4]
    watcher.check_sequences()


def test_a_collector_that_is_told_to_end_leaves_targets_to_its_successor(
    watcher: Watching,
) -> None:
    with cell(limit_bytes=CEILING) as target:
        watcher.watch("t", target)
        pid = target.run(TOO_MUCH)[0]
        collector = watcher.client.status().pid
        os.kill(collector, signal.SIGTERM)
        until(lambda: not alive(collector), "SIGTERM did not end it")
        assert watcher.victims("t") == [pid]
        assert watcher.payloads(SandboxDestroyed, "t") == []
        assert not watcher.folder.collector_socket.exists()
        watcher.reconnect()
        watcher.watch("t", target)
        watcher.client.finish("t")
    assert watcher.victims("t") == [pid]
    assert len(watcher.payloads(SandboxDestroyed, "t")) == 1


def test_targets_of_an_owner_that_died_are_watched_to_their_end(watcher: Watching) -> None:
    with cell(limit_bytes=CEILING) as target:
        with CollectorClient(watcher.folder) as owner:
            owner.watch(Watch(target="t", cgroups=target.folders, ours=True, trial="x", try_no=1))
            process = target.start(eat(5 * MIB, hold_s=60))
        time.sleep(2.5)
        assert watcher.client.status().targets == ("t",)
        pid = target.run(TOO_MUCH)[0]
        process.kill()
        process.wait()
        until(lambda: watcher.client.status().targets == (), "the orphan did not end")
    [end] = watcher.payloads(SandboxDestroyed, "t")
    assert (end.reason, end.oom_kill_total) == ("owner_gone", 1)
    assert watcher.victims("t") == [pid]


def test_an_orphan_is_adopted_by_whoever_watches_it_again(watcher: Watching) -> None:
    with cell() as target:
        with CollectorClient(watcher.folder) as owner:
            owner.watch(Watch(target="t", cgroups=target.folders, ours=True))
        watcher.client.watch(Watch(target="t", cgroups=target.folders, ours=True))
        time.sleep(3.5)
        assert watcher.client.status().targets == ("t",)
        watcher.client.finish("t")


def test_it_survives_whoever_started_it_and_ends_when_nobody_is_left(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys\n"
        "from barograph.folder import DataFolder\n"
        "from collector.client import ensure\n"
        "client = ensure(DataFolder.create(sys.argv[1]), linger_s=1.5)\n"
        "print(client.status().pid, flush=True)\n"
        "os.killpg(0, signal.SIGKILL)\n"
    )
    started = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "data")],
        stdout=subprocess.PIPE,
        start_new_session=True,
        check=False,
    )
    assert started.returncode == -signal.SIGKILL
    pid = int(started.stdout)
    time.sleep(0.5)
    assert alive(pid)
    until(lambda: not alive(pid), "it did not end by itself", timeout_s=20)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--interval-s", "0"], 2), (["--interval-s", "nan"], 2), (["--cgroup", "/none"], 5)],
    ids=str,
)
def test_bad_options_are_one_sentence(tmp_path: Path, arguments: list[str], code: int) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "collector", "--dir", str(tmp_path), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code
    assert len(ran.stderr.splitlines()) == 1


def test_missed_ticks_are_told(watcher: Watching) -> None:
    with cell() as target:
        watcher.watch("t", target)
        time.sleep(1.2)
        pid = watcher.client.status().pid
        os.kill(pid, signal.SIGSTOP)
        time.sleep(3.3)
        os.kill(pid, signal.SIGCONT)
        time.sleep(1.2)
        watcher.client.finish("t")
    missed = watcher.payloads(TickMissed)
    assert sum(fact.ticks for fact in missed) in {2, 3}
    intervals = [sample.interval_us or 0 for sample in watcher.payloads(Sample, "t")]
    assert max(intervals) > 3_000_000


def test_a_cgroup_on_the_command_line_is_watched_as_it_is(tmp_path: Path) -> None:
    folder = DataFolder.create(tmp_path / "data")
    with cell(limit_bytes=CEILING) as target:
        target.run(TOO_MUCH)
        name = "memory.max_usage_in_bytes" if target.version == 1 else "memory.peak"
        before = (target.memory / name).read_text()
        arguments = ["--dir", str(folder.root), "--cgroup", str(target.memory), "--linger-s", "0"]
        process = subprocess.Popen([sys.executable, "-m", "collector", *arguments])
        until(folder.collector_socket.exists, "it does not start")
        time.sleep(1.5)
        assert (target.memory / name).read_text() == before
        pid = target.run(TOO_MUCH)[0]
    assert process.wait(timeout=30) == 0
    kills = Watching.read(folder, OomKill)
    assert [(fact.ordinal, fact.victim_pid) for fact in kills] == [(2, pid)]
    [end] = Watching.read(folder, SandboxDestroyed)
    assert end.reason == "finished"


def test_a_process_without_a_cgroup_is_polled_and_flagged(watcher: Watching) -> None:
    process = subprocess.Popen(eat(30 * MIB, hold_s=60))
    watcher.client.watch(Watch(target="p", pid=process.pid))
    time.sleep(2.2)
    process.kill()
    process.wait()
    watcher.client.finish("p")
    samples = watcher.payloads(Sample, "p")
    assert {sample.peak_kind for sample in samples} == {2}
    assert max(sample.usage_bytes or 0 for sample in samples) > 30 * MIB
    assert {sample.oom_kill_delta for sample in samples} == {None}
    gaps = {fact.probe for fact in watcher.payloads(ProbeUnavailable)}
    assert {"process.peak", "process.oom_kill"} <= gaps
