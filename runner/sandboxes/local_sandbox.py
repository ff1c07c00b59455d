"""One sandbox of the local driver: the port's promises, kept by talking to a supervisor."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from barograph.facts import SandboxCreated, SandboxState
from runner.sandboxes import results
from runner.sandboxes.cgroups import kill_path
from runner.sandboxes.errors import SandboxDiedError, SandboxFailedError, SandboxInputError
from runner.sandboxes.link import Link, LinkBrokenError
from runner.sandboxes.port import (
    DEFAULT_OUTPUT_BYTES,
    BeforeRemove,
    ExecResult,
    OnState,
    Standing,
)
from runner.sandboxes.records import Place, remove_all
from runner.sandboxes.supervisor import removal, wire

_GRACE_S: Final = 30.0
"""Beyond a command's own limit, before the supervisor is taken for stuck."""
_COPY_TIMEOUT_S: Final = 300.0
_DOWN_TIMEOUT_S: Final = 15.0
_REMOVE_TIMEOUT_S: Final = 120.0


class LocalSandbox:
    """See ``port.Sandbox`` for what each method promises."""

    def __init__(
        self,
        standing: Standing,
        place: Place,
        defaults: Mapping[str, str],
        workdir: str,
        on_state: OnState | None,
        forget: Callable[[str], None],
    ) -> None:
        """``defaults``: variables of every command; ``forget``: called once it is removed.

        The supervisor's process is started; nothing else is made.
        """
        self._standing, self._place = standing, place
        self._defaults, self._workdir = dict(defaults), workdir
        self._on_state, self._forget = on_state, forget
        self._created: SandboxCreated | None = None
        self._death: SandboxState | None = None
        self._lock = threading.Lock()
        self._begun = self._ending = False
        self.link = Link(standing.name, place.scratch / "supervisor.err", self._on_dead)

    @property
    def standing(self) -> Standing:
        """Name and cgroups."""
        return self._standing

    @property
    def created(self) -> SandboxCreated:
        """What was asked for and applied."""
        if self._created is None:
            raise SandboxFailedError("not created yet", where=self._where)
        return self._created

    @property
    def death(self) -> SandboxState | None:
        """How it died, None while it lives."""
        return self._death

    def begin(self, start: wire.Message, created: SandboxCreated, timeout_s: float) -> None:
        """Let the supervisor make what the sandbox is made of.

        Raises:
            SandboxFailedError: it could not; ``destroy`` is still to be called.

        """
        self._begun = True
        try:
            answer = self.link.ask({**start, "do": "start"}, "up", timeout_s)
        except LinkBrokenError as error:
            raise self._failed(str(error)) from error
        if wire.text(answer, "event") == "failed":
            raise self._failed(wire.text(answer, "problem"))
        self._created = created
        self._tell(SandboxState(state="running"))

    def exec(
        self,
        command: str | Sequence[str],
        *,
        timeout_s: float | None = None,
        environment: Mapping[str, str] | None = None,
        workdir: str | None = None,
        output_bytes: int = DEFAULT_OUTPUT_BYTES,
    ) -> ExecResult:
        """Run one command; see the port."""
        argv = ["", command] if isinstance(command, str) else list(command)
        variables = {**self._defaults, **(environment or {})}
        folder = workdir or self._workdir
        self._check_exec(argv, variables, timeout_s, output_bytes)
        if any("\0" in text for text in (*argv, *variables, *variables.values(), folder)):
            return results.never_ran("a command cannot hold a NUL character")
        self._refuse_dead()
        message: wire.Message = {
            "do": "exec",
            "argv": wire.joined(argv),
            "environment": wire.joined_pairs(variables),
            "workdir": folder,
            "timeout_s": timeout_s,
            "keep_bytes": output_bytes,
        }
        patience_s = None if timeout_s is None else timeout_s + _GRACE_S
        answer = self._ask(message, patience_s)
        if wire.text(answer, "event") == "broken":
            raise self._failed(wire.text(answer, "problem"))
        result = results.of(answer)
        if result.how == "sandbox_died":
            raise self._died(result)
        return result

    def interrupt(self) -> None:
        """End what runs; see the port."""
        with suppress(LinkBrokenError):
            self.link.tell({"do": "interrupt"})

    def upload(self, source: Path, inside: str) -> None:
        """Copy from the host; see the port."""
        if not source.exists():
            raise SandboxInputError("no such file or folder", where=source)
        self._refuse_dead()
        problem = self._copy({"do": "upload", "source": str(source), "target": inside})
        kind, _, sentence = problem.partition(":")
        if kind == "input":
            raise SandboxInputError(sentence, where=source)
        if kind != "ok":
            raise self._failed(f"{source} could not be copied to {inside}: {sentence}")

    def download(self, inside: str, target: Path, *, max_bytes: int = 64 << 20) -> bool:
        """Copy to the host; see the port."""
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._failed(f"{target} cannot be written: {error.strerror}") from error
        folder = str(target.parent.resolve())
        kind, _, sentence = self._copy(
            {
                "do": "download",
                "source": inside,
                "folder": folder,
                "name": target.name,
                "max_bytes": max_bytes,
            }
        ).partition(":")
        if kind not in {"ok", "absent"}:
            raise self._failed(f"{inside} could not be copied to {target}: {sentence}")
        return kind == "ok"

    def destroy(self, before_remove: BeforeRemove | None = None) -> None:
        """Kill, let the final counters be read, remove; see the port."""
        with self._lock:
            if self._ending:
                return
            self._ending = True
        problems = self._bring_down()
        raised: BaseException | None = None
        if before_remove is not None:
            try:
                before_remove(self._standing)
            except BaseException as error:  # noqa: BLE001 - removal must happen; raised below
                raised = error
        problems += self._remove()
        self.link.close()
        self._forget(self._standing.name)
        self._tell(SandboxState(state="stopped"))
        if raised is not None:
            raise raised
        if problems:
            raise self._failed(f"something would not go away: {'; '.join(problems)}")

    def _bring_down(self) -> list[str]:
        """Kill everything; what still lives afterwards, as sentences."""
        if not self._begun:
            self.link.kill()
            return []
        try:
            self.link.ask({"do": "kill"}, "down", _DOWN_TIMEOUT_S)
        except LinkBrokenError:
            self.link.kill()  # init goes with it
            left = removal.kill_below(kill_path(self._standing), _DOWN_TIMEOUT_S)
            return [f"process {pid} cannot be killed" for pid in left]
        return []

    def _remove(self) -> list[str]:
        try:
            answer = self.link.ask({"do": "remove"}, "removed", _REMOVE_TIMEOUT_S)
        except LinkBrokenError:
            self.link.kill()
            return remove_all(self._standing, self._place)
        return wire.texts(answer, "problems")

    def _ask(self, message: wire.Message, timeout_s: float | None) -> wire.Message:
        try:
            return self.link.ask_numbered(message, timeout_s)
        except LinkBrokenError as error:
            raise self._failed(str(error)) from error

    def _copy(self, message: wire.Message) -> str:
        if self._ending:
            raise self._failed("it was destroyed")
        return wire.text(self._ask(message, _COPY_TIMEOUT_S), "answer")

    def _check_exec(
        self, argv: list[str], environment: dict[str, str], timeout_s: float | None, keep: int
    ) -> None:
        where = f"command in {self._where}"
        if not any(argv):
            raise SandboxInputError("no command", where=where, value=argv)
        if timeout_s is not None and not timeout_s > 0:
            raise SandboxInputError(
                "a time limit is more than 0", where=where, field="timeout_s", value=timeout_s
            )
        if keep < 0:
            raise SandboxInputError("below 0", where=where, field="output_bytes", value=keep)
        if any(not name or "=" in name for name in environment):
            raise SandboxInputError("not a variable's name", where=where, field="environment")

    def _refuse_dead(self) -> None:
        if self._ending:
            raise self._failed("it was destroyed")
        if self._death is not None:
            raise self._died(None)

    @property
    def _where(self) -> str:
        return f"sandbox {self._standing.name}"

    def _failed(self, problem: str) -> SandboxFailedError:
        return SandboxFailedError(problem, where=self._where)

    def _died(self, result: ExecResult | None) -> SandboxDiedError | SandboxFailedError:
        if self._ending or self._death is None:
            return self._failed("it was destroyed while the command ran")
        group = self._death.state == "group_killed"
        return SandboxDiedError(
            "everything in it was killed by its OOM scope" if group else "its init ended",
            where=self._where,
            init_exit=self._death.exit_code,
            group_kill=group,
            result=result,
        )

    def _on_dead(self, message: wire.Message) -> None:
        """Hear of a death, in the thread that reads from the supervisor."""
        if wire.whole(message, "asked"):
            return
        exit_code = wire.whole(message, "exit_code")
        if wire.whole(message, "group_kill"):
            by_kernel = wire.whole(message, "by_kernel")
            reason = "oom_scope_sandbox" if by_kernel else "oom_scope_sandbox_emulated"
            self._death = SandboxState(state="group_killed", reason=reason, exit_code=exit_code)
        else:
            self._death = SandboxState(state="died", reason="init_ended", exit_code=exit_code)
        self._tell(self._death)

    def _tell(self, state: SandboxState) -> None:
        if self._on_state is not None:
            self._on_state(state)
