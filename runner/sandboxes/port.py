"""The port behind which every kind of sandbox stands: create, exec, copy, destroy.

Two things can go wrong around a command, and a study of infrastructure noise lives from
telling them apart. *The command failed*: it exited non-zero, was killed by a signal, or
ran out of its time. That is a result, it says something about the task, and it comes
back as an ``ExecResult``. *The sandbox failed*: the driver could not do what it was asked
(``SandboxFailedError``: says nothing about the task) or everything in the sandbox was
killed, by its memory ceiling for instance (``SandboxDiedError``: says what the ceiling
did). These are exceptions, so that neither can be mistaken for a command's output.

A driver declares in ``capabilities`` what it can enforce, and tells in
``Sandbox.created`` what it really applied, read back from the kernel and not copied from
the request: the kernel rounds, refuses and ignores.

Paths: *host* paths are ``pathlib.Path`` and belong to the machine of the runner; *inside*
paths are absolute ``str`` resolved in the sandbox's own root, symbolic links included,
and never reach the host's files.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Protocol

from barograph.envelope import Belongs
from barograph.facts import OomScope, SandboxCreated, SandboxState
from runner.sandboxes.capabilities import Capabilities

Network = Literal["public", "no-network"]
ExecHow = Literal["ok", "timeout", "sandbox_died"]

DEFAULT_PIDS_LIMIT: Final = 1024
"""Far above what a task's tools need, far below what a fork bomb needs to hurt the host."""

DEFAULT_OUTPUT_BYTES: Final = 1 << 20
"""Kept of each stream of a command: half from its beginning, half from its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverContext:
    """What a driver needs to know about the campaign that uses it."""

    folder_id: str
    """Names this data folder's sandboxes on the machine: 1-32 of ``[a-z0-9-]``."""
    scratch: Path
    """Host folder (made if missing) in which each sandbox gets a folder of its own name."""
    records: Path
    """Host folder for one small file a standing sandbox: what a later campaign cleans up by."""
    collector_socket: Path | None = None
    """Where the collector listens; a supervisor asks it to finish when the runner died."""
    parent_cap_bytes: int | None = None
    """Memory that all sandboxes of the campaign share at most; None: the driver's default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxRequest:
    """What is asked of a new sandbox. Nothing here is taken as applied."""

    name: str
    """Unique among standing sandboxes of the data folder: 1-64 of ``[A-Za-z0-9_-]``,
    beginning with a letter or digit. It is the target's name for the collector too."""
    belongs: Belongs = field(default_factory=Belongs)
    """Sweep, trial and try: kept in the record, so that a later campaign can finish it."""
    oom_scope: OomScope
    """What dies when the memory ceiling is hit: one process, or everything."""
    memory_floor_bytes: int | None = None
    """Guaranteed allocation; None: none is asked for."""
    memory_ceiling_bytes: int | None = None
    """Kill threshold; None: uncapped, that is held by the parent cap alone. No swap."""
    cpu_floor_cores: float | None = None
    """Share under contention, as a number of cores (1 core = 1024 shares)."""
    cpu_ceiling_cores: float | None = None
    """Quota; None: all of the machine's cores."""
    pids_limit: int = DEFAULT_PIDS_LIMIT
    """Processes and threads together."""
    network: Network = "public"
    """public: the runner's own network; no-network: a loopback device and nothing else."""
    workdir: str = "/app"
    """Inside path, made writable, in which commands run by default."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Added to the driver's own PATH, HOME, LANG...; the host's variables never come in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecResult:
    """How one command ended. ``sandbox_died`` occurs only inside ``SandboxDiedError``."""

    how: ExecHow
    exit_code: int | None
    """None where a signal ended it, or its time, or the sandbox's death."""
    signal: int | None
    """The signal that ended the leader; None for an exit, and for a death with the sandbox."""
    stdout: bytes
    """Head and tail, with a line in between that says how many bytes were left out."""
    stderr: bytes
    stdout_bytes: int
    """All bytes that the command wrote until it ended, kept or not."""
    stderr_bytes: int
    pid: int | None
    """Of the command's leader, in the host's PID namespace; its session has the same id, so
    every descendant that made no session of its own is found by it."""
    started_t_us: int
    """Wall time, UTC microseconds since the epoch."""
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A sandbox whose cgroups still exist: what the collector is told to watch or finish."""

    name: str
    belongs: Belongs
    cgroups: Mapping[str, str]
    """Controller (v1) or ``unified`` (v2, and v1's extra tree for PSI) -> absolute path."""
    kernel_path: str
    """The memory cgroup as the kernel log prints it, e.g. ``/barograph/x/y``."""
    cgroup_version: Literal[1, 2]
    oom_scope: OomScope


BeforeRemove = Callable[[Standing], None]
"""Called once everything in a sandbox is dead and before its cgroups go: the moment to read
the final counters. What it raises is raised again after everything was removed."""

OnState = Callable[[SandboxState], None]
"""Told of transitions (running, group_killed, died, stopped) from a thread of the
driver's; must not block and must not call back into the sandbox."""


class Sandbox(Protocol):
    """One standing sandbox. Methods may be called from any thread, several at once."""

    @property
    def standing(self) -> Standing:
        """Name and cgroups, for the collector."""
        ...

    @property
    def created(self) -> SandboxCreated:
        """What was asked for and what was applied, read back after it was set."""
        ...

    @property
    def death(self) -> SandboxState | None:
        """How it died (group_killed, died), None while it lives. ``destroy`` is no death."""
        ...

    def exec(
        self,
        command: str | Sequence[str],
        *,
        timeout_s: float | None = None,
        environment: Mapping[str, str] | None = None,
        workdir: str | None = None,
        output_bytes: int = DEFAULT_OUTPUT_BYTES,
    ) -> ExecResult:
        """Run one command and wait until its leader ends or its time is over.

        The command leads a session of its own, with standard input at ``/dev/null``. When
        its leader ends, the command has ended: processes that it left in the background
        live on, and what they write from then on is thrown away. When the time is over,
        everything that the command started is killed, daemons that made sessions of their
        own included, and nothing else.

        Args:
            command: text for ``bash -c`` (``sh -c`` where there is no bash), or the
                arguments of a program found through PATH.
            timeout_s: limit in seconds of wall time, above 0; None: none.
            environment: added to (and overriding) the sandbox's.
            workdir: inside path; None: the sandbox's. One that does not exist is the
                command's failure: exit code 126, with a sentence on stderr. A program that
                does not exist: 127.
            output_bytes: kept of each stream.

        Raises:
            SandboxDiedError: everything in the sandbox died before the command ended, or
                had died before it was asked for; its ``result`` holds what is known of the
                command.
            SandboxFailedError: the driver broke, or the sandbox was destroyed; nothing is
                known about the command.

        """
        ...

    def interrupt(self) -> None:
        """End the commands that run now as if the time of each were over; see ``exec``.

        Their callers get a result with ``how`` timeout, soon after this returns. A sandbox
        that is gone has none: that is no error.
        """
        ...

    def upload(self, source: Path, inside: str) -> None:
        """Copy a host file, or a folder with all in it, to ``inside``, owned by the task's user.

        A folder's contents are merged into ``inside``, which is made if missing (also
        directly below the root, where tasks cannot make anything); files of the same name
        are replaced. A file is copied to the path ``inside`` itself. Permission bits are
        kept, symbolic links are copied as links, other kinds of files are refused. The
        copy is charged to the host, not to the sandbox's ceiling.

        Raises:
            InputError: ``source`` is not there or holds a device, pipe or socket.
            SandboxDiedError: the sandbox had died.
            SandboxFailedError: it could not be written (a file in the place of a folder,
                a full disk, a read-only place).

        """
        ...

    def download(self, inside: str, target: Path, *, max_bytes: int = 64 << 20) -> bool:
        """Copy a file, or a folder with all in it, from ``inside`` to the host path ``target``.

        Hostile contents are expected: symbolic links, devices, pipes, sockets and set-id
        bits are left out, nothing is written outside ``target``, and copying stops after
        ``max_bytes`` or 10,000 entries. A dead sandbox's files can still be downloaded,
        until it is destroyed.

        Returns:
            Whether there was such a file or folder.

        Raises:
            SandboxFailedError: the bounds were exceeded (what was copied until then stays)
                or ``target`` could not be written.

        """
        ...

    def destroy(self, before_remove: BeforeRemove | None = None) -> None:
        """Kill everything, call ``before_remove``, then remove whatever the sandbox had.

        Idempotent, also after a death or a failure; a second call does nothing. Commands
        still running end with ``SandboxFailedError``.

        Raises:
            SandboxFailedError: something would not go away within the bounded time; it says
                what, and the record stays for ``Driver.clean_left_overs``.

        """
        ...


class Driver(Protocol):
    """A kind of sandbox. Safe to use from many threads."""

    @property
    def name(self) -> str:
        """As in the registry and in ``SandboxCreated.driver``."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What this driver can enforce on this machine."""
        ...

    def create(self, request: SandboxRequest, on_state: OnState | None = None) -> Sandbox:
        """Make a sandbox in which commands can run.

        A request beyond ``capabilities`` is refused; nothing is silently left out.

        Raises:
            InputError: the request contradicts itself (ceiling below floor, odd name).
            EnvironmentRefusal: this machine or driver cannot do it.
            SandboxFailedError: it should have worked and did not; nothing is left behind.

        """
        ...

    def clean_left_overs(self, before_remove: BeforeRemove | None = None) -> Sequence[Standing]:
        """Destroy what earlier runners of this data folder left standing.

        To be called by the one owner of the data folder before it creates anything.
        ``before_remove`` is called for each whose cgroups still exist.

        Returns:
            What was cleaned up.

        Raises:
            SandboxFailedError: something would not go away.

        """
        ...

    def close(self) -> None:
        """Give back what the driver holds; sandboxes that still stand are destroyed."""
        ...
