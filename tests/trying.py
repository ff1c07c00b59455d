"""Run single tries over fakes and look at what they said to the log."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from barograph.clock import FakeClock
from barograph.codec import decode
from barograph.envelope import Event
from barograph.facts import PhaseFinished
from barograph.folder import DataFolder
from barograph.log.memory import MemoryLog
from barograph.log.port import LogError
from barograph.writer import Writer
from runner.plan import PlannedTrial, plan
from runner.redact import Redactor
from runner.shared import Shared
from runner.sweeps import load_sweep
from runner.trial import Try
from tests.fake_sandboxes import FakeDriver, FakeObserver
from tests.sweep_files import SWEEP_TOML, write_sweep

_Payload = TypeVar("_Payload")


class RefusingLog(MemoryLog):
    """A log that takes so many events and no more."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def append(self, events: Sequence[Event]) -> None:
        self.room -= len(events)
        if self.room < 0:
            raise LogError("cannot write the journal (No space left on device)")
        super().append(events)


class Bench:
    """One small sweep over fakes."""

    def __init__(
        self, folder: Path, *, toml: str = SWEEP_TOML, log: MemoryLog | None = None
    ) -> None:
        self.log = log or MemoryLog()
        self.driver = FakeDriver()
        self.observer = FakeObserver()
        self.clock = FakeClock()
        self.phases: list[str] = []
        self.sweep = load_sweep(write_sweep(folder, toml=toml))
        self.folder = DataFolder.create(folder / "data")
        self.shared = Shared(
            sweep=self.sweep,
            sweep_id="s1",
            folder=self.folder,
            driver=self.driver,
            observer=self.observer,
            writer=Writer(self.log, source="r1", clock=self.clock),
            clock=self.clock,
            redactor=Redactor(),
            host="host",
            host_environment={"PATH": "/usr/bin:/bin"},
            on_phase=lambda _trial, phase: self.phases.append(phase),
        )

    def planned(self, *, agent: str, condition: str = "1x", task: str = "a") -> PlannedTrial:
        wanted = (agent, condition, task)
        return next(
            one for one in plan(self.sweep, "s1") if (one.agent, one.condition, one.task) == wanted
        )

    def trial(self, *, agent: str = "oracle", condition: str = "1x", try_no: int = 1) -> Try:
        return Try(self.shared, self.planned(agent=agent, condition=condition), try_no)

    @property
    def events(self) -> list[Event]:
        lines = (line for chunk in self.log.read({}) for line in chunk.data.splitlines())
        return [decode(line) for line in lines]

    def said(self, kind: type[_Payload]) -> list[_Payload]:
        return [event.payload for event in self.events if isinstance(event.payload, kind)]

    @property
    def phase_ends(self) -> list[tuple[str, str]]:
        return [(end.phase, end.how) for end in self.said(PhaseFinished)]
