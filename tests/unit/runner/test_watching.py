"""The watcher keeps every sandbox watched, whatever happens to collectors."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from barograph.clock import FakeClock
from barograph.codec import decode
from barograph.envelope import Belongs
from barograph.facts import Payload, SandboxDestroyed
from barograph.folder import DataFolder
from barograph.log.memory import MemoryLog
from barograph.writer import Writer
from collector.client import CollectorClient
from collector.errors import CollectorError, UnknownTargetError, UnreachableError
from collector.protocol import Watch
from runner.errors import HelperFailedError
from runner.sandboxes.port import Standing
from runner.watching import Watcher


class FakeCollector:
    """One incarnation of a collector. Its link is a pipe that stays silent."""

    def __init__(self) -> None:
        self.watched: dict[str, Watch] = {}
        self.finished: list[tuple[str, str]] = []
        self.dead = False
        self.silent = Path("/dev/null").open("rb")  # noqa: SIM115 - closed with the client

    def fileno(self) -> int:
        return self.silent.fileno()

    def watch(self, watch: Watch) -> None:
        self._live()
        self.watched[watch.target] = watch

    def finish(self, target: str, reason: str = "finished") -> dict[str, object]:
        self._live()
        if target not in self.watched:
            raise UnknownTargetError("this target is not watched", value=target)
        self.finished.append((target, reason))
        return {}

    def status(self) -> None:
        """A /dev/null is always readable, so this is asked now and then."""

    def close(self) -> None:
        self.silent.close()

    def _live(self) -> None:
        if self.dead:
            raise UnreachableError("the collector does not answer")


class Theatre:
    """A watcher and the collectors that it was given, one after another."""

    def __init__(self, folder: Path) -> None:
        self.collectors: list[FakeCollector] = []
        self.lost: list[HelperFailedError] = []
        self.log = MemoryLog()
        self.none_left = False
        clock = FakeClock()
        self.watcher = Watcher(
            DataFolder.at(folder),
            Writer(self.log, source="r1", clock=clock),
            clock,
            lost=self.lost.append,
            ensure=self.ensure,
        )

    def ensure(self, _folder: DataFolder) -> CollectorClient:
        if self.none_left:
            raise UnreachableError("the collector does not start")
        self.collectors.append(FakeCollector())
        return cast("CollectorClient", self.collectors[-1])

    @property
    def now(self) -> FakeCollector:
        return self.collectors[-1]

    @property
    def said(self) -> list[Payload]:
        lines = (line for chunk in self.log.read({}) for line in chunk.data.splitlines())
        return [decode(line).payload for line in lines]


@pytest.fixture
def theatre(tmp_path: Path) -> Iterator[Theatre]:
    theatre = Theatre(tmp_path)
    yield theatre
    theatre.watcher.close()


def standing(name: str) -> Standing:
    return Standing(
        name=name,
        belongs=Belongs(sweep="s1", trial="t1", try_no=2, target=name),
        cgroups={"memory": f"/sys/fs/cgroup/memory/absent/{name}"},
        kernel_path=f"/absent/{name}",
        cgroup_version=1,
        oom_scope="sandbox",
    )


def test_a_sandbox_is_announced_as_ours_with_what_it_belongs_to(theatre: Theatre) -> None:
    theatre.watcher.watch(standing("a"))

    watch = theatre.now.watched["a"]
    assert (watch.ours, watch.kernel_path, watch.trial, watch.try_no) == (
        True,
        "/absent/a",
        "t1",
        2,
    )


def test_the_end_is_left_to_the_collector(theatre: Theatre) -> None:
    theatre.watcher.watch(standing("a"))
    theatre.watcher.finish(standing("a"))

    assert theatre.now.finished == [("a", "finished")]
    assert theatre.said == []


def test_a_new_collector_is_told_of_everything_that_stands(theatre: Theatre) -> None:
    for name in "abc":
        theatre.watcher.watch(standing(name))
    theatre.watcher.finish(standing("b"))
    theatre.now.dead = True

    theatre.watcher.finish(standing("a"))

    assert len(theatre.collectors) == 2
    assert set(theatre.now.watched) == {"a", "c"}
    assert theatre.now.finished == [("a", "finished")]
    assert theatre.lost == []


def test_a_sandbox_that_comes_while_the_collector_is_dead_is_watched(theatre: Theatre) -> None:
    theatre.now.dead = True

    theatre.watcher.watch(standing("a"))

    assert set(theatre.now.watched) == {"a"}


def test_a_left_over_is_shown_to_the_collector_before_it_ends(theatre: Theatre) -> None:
    theatre.watcher.finish(standing("old"), "left_over")

    assert theatre.now.finished == [("old", "left_over")]
    assert theatre.said == []


def test_without_any_collector_the_runner_reads_and_says_so(theatre: Theatre) -> None:
    theatre.watcher.watch(standing("a"))
    theatre.now.dead = theatre.none_left = True

    theatre.watcher.finish(standing("a"))

    ends = [payload for payload in theatre.said if isinstance(payload, SandboxDestroyed)]
    assert [(end.read_by, end.reason, end.peak_bytes) for end in ends] == [
        ("runner", "finished", None)  # there is no such cgroup, so nothing is known
    ]
    assert len(theatre.lost) == 1


def test_the_loss_of_the_last_collector_is_told_once(theatre: Theatre) -> None:
    theatre.now.dead = theatre.none_left = True

    for name in "ab":
        with pytest.raises(HelperFailedError, match="nobody can watch"):
            theatre.watcher.watch(standing(name))

    assert len(theatre.lost) == 1


def test_no_collector_at_all_is_said_at_once(tmp_path: Path) -> None:
    def refuse(_folder: DataFolder) -> CollectorClient:
        raise CollectorError("the collector does not start")

    clock = FakeClock()
    with pytest.raises(HelperFailedError, match="does not start"):
        Watcher(
            DataFolder.at(tmp_path),
            Writer(MemoryLog(), source="r1", clock=clock),
            clock,
            lost=lambda _error: None,
            ensure=refuse,
        )
