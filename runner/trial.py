"""One try of a trial: from nothing to ``trial.finished``, whatever happens in between.

The order is fixed. The sandbox is made and watched (environment); the task's files come
in (setup); the agent acts until it ends or its time is over; *after* that the tests come in
and judge, also when the agent ran out of time, because its work may be done all the same.
A sandbox that died is not judged: there is nothing left to judge. At the end the last
counters are read before the cgroup goes, and only then the outcome is written, so that a
try whose outcome stands has all its evidence in the log.

What went wrong is told apart by who did it. The sandbox died: that is what the trial
gave, ``sandbox_died``. We failed, or the driver did: ``error``, with the exception, never
shaped like a result. Somebody stopped us, or this machine can run no sandboxes at all:
``cancelled``, and the trial is run again. What it *means* is not decided here.
"""

import threading
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from barograph.envelope import Belongs
from barograph.errors import BarographError, EnvironmentRefusal
from barograph.facts import Phase, SandboxState, TrialFinished, TrialStarted
from barograph.folder import FolderRefusal
from barograph.log.port import LogError
from runner.acting import AgentEnd, Bell, Stage, act, act_as_oracle
from runner.agents.process import agent_environment
from runner.commands import AgentCommands, Commands
from runner.keeping import keep
from runner.outcome import Outcome
from runner.plan import PlannedTrial
from runner.recording import PhaseRecord, TryRecorder
from runner.sandboxes.errors import SandboxDiedError, SandboxError
from runner.sandboxes.port import Sandbox, SandboxRequest
from runner.shared import Shared
from runner.steps import SetupTimeoutError, set_up, verify
from runner.teardown import Teardown


class CancelledError(Exception):
    """The sweep is being stopped; raised between steps, caught at the end of ``Try.run``."""


class Try:
    """One try. ``run`` belongs to one thread; ``cancel`` may come from any."""

    def __init__(self, shared: Shared, planned: PlannedTrial, try_no: int) -> None:
        """Nothing happens yet."""
        self._shared, self._planned = shared, planned
        sweep = shared.sweep
        self._task = next(task for task in sweep.tasks if task.name == planned.task)
        self._agent = next(agent for agent in sweep.agents if agent.name == planned.agent)
        self._condition = next(one for one in sweep.conditions if one.name == planned.condition)
        self._limits = sweep.limits[planned.condition, planned.task]
        self.name = f"{planned.trial}-{try_no}"
        self._belongs = Belongs(
            sweep=shared.sweep_id, trial=planned.trial, try_no=try_no, target=self.name
        )
        self._recorder = TryRecorder(
            shared.writer, self._belongs, redactor=shared.redactor, clock=shared.clock
        )
        self._folder = shared.folder.try_folder(planned.trial, try_no)
        self._bell = Bell()
        self._lock = threading.Lock()
        self._cancelled = False
        self._teardown: Teardown | None = None
        self._state_error: LogError | None = None
        self._phase: Phase = "environment"
        self.refusal: EnvironmentRefusal | None = None
        """Why no try at all can be run on this machine; None where it can."""

    def cancel(self) -> None:
        """Stop it soon: whatever runs in the sandbox is killed, the agent too."""
        with self._lock:
            self._cancelled = True
            teardown = self._teardown
        self._bell.ring()
        if teardown is not None:
            teardown.destroy()

    def run(self) -> TrialFinished:
        """Run it to its end and write what it was, did and gave.

        Returns:
            The outcome, which is in the log and on the disk.

        Raises:
            LogError: it is not, or not all of its evidence; the try has no outcome.

        """
        started_us = self._recorder.now_us()
        self._recorder.say(self._started())
        outcome = Outcome()
        try:
            self._make_folder()
            self._live(outcome)
        except LogError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever ended the try is its outcome
            self._explain(error, outcome)
        finally:
            self._take_down(outcome)
        self._raise_what_the_log_refused()
        finished = outcome.finished(self._recorder.elapsed_s(started_us))
        self._recorder.say(finished)
        self._shared.writer.sync()
        return finished

    def _started(self) -> TrialStarted:
        planned, limits = self._planned, self._limits
        return TrialStarted(
            task=planned.task,
            task_digest=self._task.digest,
            agent=planned.agent,
            condition=planned.condition,
            attempt=planned.attempt,
            host=self._shared.host,
            block=planned.block,
            model=self._agent.model,
            spec_memory_bytes=limits.spec.memory_bytes,
            spec_cpu_cores=limits.spec.cpu_cores,
            spec_from=limits.spec_from,
            memory_floor_multiple=limits.memory_floor_multiple,
            memory_ceiling_multiple=limits.memory_ceiling_multiple,
            seed=planned.seed,
        )

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise FolderRefusal(
                f"nothing can be kept of this try ({error.strerror})",
                where=self._folder,
                remedy="make room there, then run the same command again",
            ) from error

    def _live(self, outcome: Outcome) -> None:
        task, folder = self._task, self._folder
        with self._in_phase("environment", task.environment_timeout_s):
            sandbox = self._create()
        commands = Commands(sandbox, self._recorder)
        with self._in_phase("setup", task.environment_timeout_s) as phase:
            try:
                set_up(
                    task,
                    commands,
                    limit_s=task.environment_timeout_s,
                    log=folder / "setup.log",
                )
            except SetupTimeoutError as error:
                phase.end("timeout", str(error))
                outcome.timed_out("setup")
                raise
        limit_s = task.agent_timeout_s
        limit_s = None if limit_s is None else limit_s * self._condition.timeout_multiplier
        with self._in_phase("agent", limit_s) as phase:
            end = self._act(commands, limit_s, outcome)
            if end.how == "timeout":
                phase.end("timeout")
            self._refuse_the_dead(sandbox)
        with self._in_phase("verifier", task.verifier_timeout_s) as phase:
            verified = verify(task, commands, folder=folder)
            outcome.judged(verified)
            if verified.graded.error is not None:
                phase.end("timeout" if verified.timed_out else "error", verified.graded.message)

    @contextmanager
    def _in_phase(self, phase: Phase, limit_s: float | None) -> Generator[PhaseRecord]:
        if self._cancelled:
            raise CancelledError
        self._phase = phase
        self._shared.on_phase(self._planned.trial, phase)
        with self._recorder.phase(phase, limit_s) as record:
            yield record

    def _create(self) -> Sandbox:
        """Make the sandbox, say what was applied, and have it watched."""
        task, limits = self._task, self._limits
        request = SandboxRequest(
            name=self.name,
            belongs=self._belongs,
            oom_scope=self._shared.sweep.oom_scope,
            memory_floor_bytes=limits.memory_floor_bytes,
            memory_ceiling_bytes=limits.memory_ceiling_bytes,
            cpu_floor_cores=limits.cpu_floor_cores,
            cpu_ceiling_cores=limits.cpu_ceiling_cores,
            network=task.network,
            workdir=task.workdir,
            environment=task.environment_env,
        )
        sandbox = self._shared.driver.create(request, self._on_state)
        with self._lock:
            self._teardown = Teardown(sandbox, self._shared.observer)
        flags = [*dict.fromkeys((*(sandbox.created.flags or ()), *task.flags))]
        self._recorder.say(replace(sandbox.created, flags=flags or None))
        self._shared.observer.watch(sandbox.standing)
        if self._cancelled:
            raise CancelledError
        return sandbox

    def _act(self, commands: Commands, limit_s: float | None, outcome: Outcome) -> AgentEnd:
        log = self._folder / "agent.log"
        if self._agent.builtin == "nop":
            end = AgentEnd(how="ok", exit_code=0)
        elif self._agent.builtin == "oracle":
            end = act_as_oracle(self._task, commands, limit_s=limit_s, log=log)
        else:
            limited = AgentCommands(
                commands, self._recorder, limit_s=limit_s, on_problem=self._bell.ring
            )
            end = act(self._stage(log), limited, self._bell, lambda: self._is_gone(limited))
            outcome.acted(end)
            if limited.problem is not None:
                raise limited.problem
        outcome.acted(end)
        return end

    def _stage(self, log: Path) -> Stage:
        given = {
            "BAROGRAPH_INSTRUCTION": str(self._task.instruction),
            "BAROGRAPH_SEED": str(self._planned.seed),
            "BAROGRAPH_TASK": self._planned.task,
        }
        return Stage(
            command=self._agent.command,
            cwd=self._shared.sweep.file.parent,
            environment=agent_environment(
                self._shared.host_environment, named=self._agent.env, given=given
            ),
            log=log,
            socket_folder=self._shared.folder.agents / self.name,
        )

    def _is_gone(self, commands: AgentCommands) -> bool:
        teardown = self._teardown
        dead = teardown is not None and teardown.sandbox.death is not None
        return dead or self._cancelled or commands.problem is not None

    def _refuse_the_dead(self, sandbox: Sandbox) -> None:
        """A sandbox can die between two commands; then nobody was told by an exception."""
        death = sandbox.death
        if death is not None:
            raise SandboxDiedError(
                f"everything in the sandbox was killed ({death.reason or death.state})",
                init_exit=death.exit_code,
                group_kill=death.state == "group_killed",
            )

    def _on_state(self, state: SandboxState) -> None:
        try:
            self._recorder.say(state)
        except LogError as error:
            self._state_error = error
        self._bell.ring()

    def _explain(self, error: Exception, outcome: Outcome) -> None:
        raised = self._recorder.raised(error, self._phase)
        if isinstance(error, SandboxDiedError):
            outcome.ended("sandbox_died")
        elif isinstance(error, CancelledError) or (
            self._cancelled and isinstance(error, SandboxError)
        ):
            outcome.ended("cancelled")
        elif isinstance(error, EnvironmentRefusal):
            self.refusal = error
            outcome.ended("cancelled", raised)
        else:
            outcome.ended("error", raised)
            if not isinstance(error, BarographError):  # a bug: keep what finds it
                text = "".join(traceback.format_exception(error))
                keep(self._folder / "exception.txt", text.encode())

    def _take_down(self, outcome: Outcome) -> None:
        teardown = self._teardown
        if teardown is None:
            return
        death = teardown.sandbox.death  # before the teardown, whose kill is no death
        outcome.sandbox_exit = None if death is None else death.exit_code
        teardown.destroy()
        if teardown.problem is not None:
            outcome.exceptions.append(self._recorder.raised(teardown.problem, None))

    def _raise_what_the_log_refused(self) -> None:
        if self._state_error is not None:
            raise self._state_error
        if self._teardown is not None and self._teardown.log_error is not None:
            raise self._teardown.log_error
