"""A driver without a kernel: commands are answered by a script, files live in a dictionary.

It keeps the port's promises about order and exceptions, so that everything above the port
can be tested in microseconds: what a try does when its verifier is silent, its sandbox dies
or its driver breaks.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from barograph.facts import SandboxCreated, SandboxState
from runner.sandboxes.capabilities import Capabilities
from runner.sandboxes.errors import SandboxDiedError, SandboxFailedError
from runner.sandboxes.port import (
    DEFAULT_OUTPUT_BYTES,
    BeforeRemove,
    ExecHow,
    ExecResult,
    OnState,
    SandboxRequest,
    Standing,
)


def result(
    exit_code: int | None = 0,
    *,
    how: ExecHow = "ok",
    signal: int | None = None,
    stdout: bytes = b"",
) -> ExecResult:
    """A command's end."""
    return ExecResult(
        how=how,
        exit_code=exit_code,
        signal=signal,
        stdout=stdout,
        stderr=b"",
        stdout_bytes=len(stdout),
        stderr_bytes=0,
        pid=4711,
        started_t_us=1_700_000_000_000_000,
        duration_s=0.5,
    )


TIMED_OUT = result(None, how="timeout")


@dataclass
class FakeSandbox:
    """One sandbox; tests write to ``files`` what commands are supposed to leave."""

    request: SandboxRequest
    on_state: OnState
    answer: "Answer"
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    uploads: list[str] = field(default_factory=list[str])
    commands: list[tuple[str, float | None]] = field(default_factory=list[tuple[str, float | None]])
    death: SandboxState | None = None
    destroy_problem: Exception | None = None
    destroyed: threading.Event = field(default_factory=threading.Event)
    interrupted: threading.Event = field(default_factory=threading.Event)

    @property
    def standing(self) -> Standing:
        return Standing(
            name=self.request.name,
            belongs=self.request.belongs,
            cgroups={"memory": f"/sys/fs/cgroup/memory/barograph/{self.request.name}"},
            kernel_path=f"/barograph/{self.request.name}",
            cgroup_version=1,
            oom_scope=self.request.oom_scope,
        )

    @property
    def created(self) -> SandboxCreated:
        return SandboxCreated(
            driver="fake",
            node="node",
            oom_scope=self.request.oom_scope,
            oom_scope_enforced_by="supervisor",
            kernel="0",
            asked_memory_ceiling_bytes=self.request.memory_ceiling_bytes,
            flags=["fake"],
        )

    def die(self, exit_code: int = 137) -> None:
        """The ceiling kills everything, whether or not a command runs."""
        self.death = SandboxState(
            state="group_killed", reason="oom_scope_sandbox_emulated", exit_code=exit_code
        )
        self.on_state(self.death)

    def died(self, running: ExecResult | None = None) -> SandboxDiedError:
        """What a call into a dead sandbox raises."""
        return SandboxDiedError(
            "everything in it was killed", init_exit=137, group_kill=True, result=running
        )

    def exec(
        self,
        command: str | Sequence[str],
        *,
        timeout_s: float | None = None,
        environment: Mapping[str, str] | None = None,
        workdir: str | None = None,
        output_bytes: int = DEFAULT_OUTPUT_BYTES,
    ) -> ExecResult:
        self._refuse_dead()
        text = command if isinstance(command, str) else " ".join(command)
        self.commands.append((text, timeout_s))
        return self.answer(self, text)

    def interrupt(self) -> None:
        self.interrupted.set()

    def upload(self, source: Path, inside: str) -> None:
        self._refuse_dead()
        self.uploads.append(inside)

    def download(self, inside: str, target: Path, *, max_bytes: int = 64 << 20) -> bool:
        content = self.files.get(inside)
        if content is None:
            return False
        target.write_bytes(content)
        return True

    def destroy(self, before_remove: BeforeRemove | None = None) -> None:
        if self.destroyed.is_set():
            return
        self.destroyed.set()
        if before_remove is not None:
            before_remove(self.standing)
        if self.destroy_problem is not None:
            raise self.destroy_problem

    def _refuse_dead(self) -> None:
        if self.destroyed.is_set():
            raise SandboxFailedError("it was destroyed")
        if self.death is not None:
            raise self.died()


Answer = Callable[[FakeSandbox, str], ExecResult]
"""What a command in a sandbox does; may raise what ``Sandbox.exec`` may raise."""


def everything_works(sandbox: FakeSandbox, command: str) -> ExecResult:
    """Every command succeeds and the verifier gives 1."""
    if "/tests/test.sh" in command:
        sandbox.files["/logs/verifier/reward.txt"] = b"1\n"
    return result()


def _tell_nobody(_state: SandboxState) -> None:
    return


class FakeDriver:
    """Makes ``FakeSandbox``es and keeps them for the test to look at."""

    name = "fake"

    def __init__(self, answer: Answer = everything_works) -> None:
        self.answer: Answer = answer
        self.create_problem: Exception | None = None
        """Raised by every ``create``."""
        self.problems: Iterator[Exception | None] = iter(())
        """Raised, where not None, by one ``create`` each."""
        self.sandboxes: list[FakeSandbox] = []
        self.made = threading.Event()

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            memory_ceiling=True,
            memory_floor="none",
            cpu_ceiling=True,
            cpu_floor="none",
            pids_limit=True,
            no_network=True,
            oom_scopes=frozenset({"sandbox", "process"}),
            oom_scope_enforced_by="supervisor",
            images=False,
            storage_limit=False,
            parent_cap=True,
        )

    def create(self, request: SandboxRequest, on_state: OnState | None = None) -> FakeSandbox:
        problem = self.create_problem or next(self.problems, None)
        if problem is not None:
            raise problem
        tell = on_state or _tell_nobody
        sandbox = FakeSandbox(request, tell, self.answer)
        tell(SandboxState(state="running"))
        self.sandboxes.append(sandbox)
        self.made.set()
        return sandbox

    def clean_left_overs(self, before_remove: BeforeRemove | None = None) -> Sequence[Standing]:
        return []

    def close(self) -> None:
        return


class FakeObserver:
    """Notes which sandboxes were watched and finished."""

    def __init__(self) -> None:
        self.watched: list[str] = []
        self.finished: list[str] = []
        self.watch_problem: Exception | None = None
        self.finish_problem: Exception | None = None

    def watch(self, standing: Standing) -> None:
        if self.watch_problem is not None:
            raise self.watch_problem
        self.watched.append(standing.name)

    def finish(self, standing: Standing) -> None:
        self.finished.append(standing.name)
        if self.finish_problem is not None:
            raise self.finish_problem
