"""Run campaigns for tests, in this process or in one that can be killed, and read what they said.

``python -m tests.campaigning SWEEP DIR`` runs one and ends with its exit code; each change
of the count of outcomes is a line on standard output.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from barograph.codec import decode
from barograph.envelope import Event
from barograph.errors import BarographError, ExitCode
from barograph.facts import OomKill, SandboxCreated, SandboxDestroyed, TrialFinished, TrialStarted
from barograph.folder import DataFolder
from barograph.log.journal import JournalLog
from runner.campaign import Campaign, CampaignEnd
from runner.plan import plan
from runner.progress import Progress
from runner.sandboxes import hierarchies, local
from runner.sweeps import load_sweep

_Payload = TypeVar("_Payload")
_DAEMONS = (b"collector", b"\0serve\0", b"barograph.shipping")

REPOSITORY = Path(__file__).resolve().parents[1]
FAULTS_SWEEP = REPOSITORY / "tests" / "data" / "faults.toml"
"""24 trials of about two seconds, with kills by the ceiling among them."""
TINY_SWEEP = REPOSITORY / "tests" / "data" / "sweep.toml"


def run(sweep: Path, folder: Path) -> CampaignEnd:
    """A campaign in this process."""
    return Campaign(load_sweep(sweep), DataFolder.create(folder)).run()


def start(
    sweep: Path, folder: Path, *options: str, fds: Sequence[int] = ()
) -> subprocess.Popen[str]:
    """A campaign in a process of its own; options: see ``main``."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.campaigning", str(sweep), str(folder), *options],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=fds,
    )


class Told:
    """What a data folder's journal says."""

    def __init__(self, folder: Path) -> None:
        self.folder = DataFolder.at(folder)
        log = JournalLog(self.folder.journal)
        lines = (line for chunk in log.read({}) for line in chunk.data.splitlines())
        events = [decode(line) for line in lines]
        # By time: the order of files is that of random names.
        self.events: list[Event] = sorted(events, key=lambda one: (one.t_us, one.source, one.seq))

    def of(self, kind: type[_Payload]) -> list[tuple[Event, _Payload]]:
        """Events with a payload of this type."""
        return [(event, event.payload) for event in self.events if isinstance(event.payload, kind)]

    def all(self, kind: type[_Payload]) -> list[_Payload]:
        """Payloads of this type."""
        return [payload for _, payload in self.of(kind)]

    def outcomes(self) -> dict[str, list[TrialFinished]]:
        """Trial -> its standing ends."""
        found: dict[str, list[TrialFinished]] = {}
        for event, payload in self.of(TrialFinished):
            if payload.how != "cancelled" and event.belongs.trial is not None:
                found.setdefault(event.belongs.trial, []).append(payload)
        return found

    def outcome(self, *, task: str, agent: str, condition: str = "1x") -> TrialFinished:
        """The one outcome of a cell with one attempt."""
        for event, started in self.of(TrialStarted):
            cell = (started.task, started.agent, started.condition)
            if cell == (task, agent, condition) and event.belongs.trial in self.outcomes():
                return self.outcomes()[str(event.belongs.trial)][0]
        raise AssertionError(f"no outcome of {task}, {agent}, {condition}")

    def sweep_id(self) -> str:
        """Of the one sweep."""
        (sweep,) = {event.belongs.sweep for event in self.events if event.belongs.sweep}
        return sweep


def assert_complete(sweep: Path, folder: Path) -> Told:
    """Exactly the planned trials have an outcome, with all of its evidence, and nothing is left.

    Returns:
        What the log says, for more questions.

    """
    told = Told(folder)
    planned = [trial.trial for trial in plan(load_sweep(sweep), told.sweep_id())]
    outcomes = told.outcomes()
    assert sorted(outcomes) == sorted(planned)
    assert all(len(ends) == 1 for ends in outcomes.values())
    begun = [(event.belongs.trial, event.belongs.try_no) for event, _ in told.of(TrialStarted)]
    ended = [(event.belongs.trial, event.belongs.try_no) for event, _ in told.of(TrialFinished)]
    assert sorted(begun) == sorted(ended), "every try began once and ended once"
    assert_kills_add_up(told)
    assert_nothing_is_left(told.folder)
    return told


def assert_kills_add_up(told: Told) -> None:
    """Every kill in a sandbox's final counter has its event, and no other exists."""
    made = {event.belongs.target for event, _ in told.of(SandboxCreated)}
    counted: dict[str | None, int] = {}
    for event, payload in told.of(SandboxDestroyed):
        target = event.belongs.target
        counted[target] = max(counted.get(target, 0), payload.oom_kill_total or 0)
    assert made <= set(counted), "every sandbox's last counters were read"
    kills: dict[str | None, set[int]] = {}
    for event, kill in told.of(OomKill):
        kills.setdefault(event.belongs.target, set()).add(kill.ordinal)
    expected = {target: set(range(1, count + 1)) for target, count in counted.items() if count}
    assert kills == expected


def assert_nothing_is_left(folder: DataFolder) -> None:
    """No cgroup, file, record or process of a sandbox or an agent."""
    for place in set(hierarchies.find().mounts.values()):
        assert not (place / "barograph" / folder.identity).exists()
    for place in (folder.sandboxes, folder.scratch, folder.agents):
        assert not place.exists() or list(place.iterdir()) == []
    left = str(folder.root).encode()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = path.read_bytes()
        except OSError:
            continue
        # Collector, server and shipper end by themselves, a little later.
        lingers = any(word in arguments for word in _DAEMONS)
        ours = left in arguments and not lingers
        assert not ours or b"tests.campaigning" in arguments, arguments


def become(uid: int) -> None:
    """Be another user from now on, who may not even read the files of this interpreter."""
    local.default_cap_bytes(1)  # so everything that is needed is imported by now
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def main(sweep: str, folder: str, uid: str | None = None) -> int:
    """See the module; ``uid``: whom to become first."""
    done = -1

    def listen(progress: Progress) -> None:
        nonlocal done
        if progress.done != done:
            done = progress.done
            print(f"done {done}", flush=True)  # noqa: T201 - this is how the test follows it

    try:
        loaded = load_sweep(Path(sweep))
        if uid is not None:
            become(int(uid))
        end = Campaign(loaded, DataFolder.create(folder), listener=listen).run()
    except BarographError as error:
        print(error, file=sys.stderr)  # noqa: T201 - as above
        return error.exit_code
    return ExitCode.OK if end.reason == "complete" else ExitCode.INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
