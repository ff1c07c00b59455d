"""A campaign: work through what a sweep's log does not hold yet.

Killing a campaign at any moment and starting it again loses and repeats nothing, because
it has no memory of its own: what is planned, what stands and what was left half-done are
read from the log (``resume``), and what an earlier runner left on the machine is cleaned
up before anything begins. One campaign owns the data folder (``ownership``).

It ends in one of three ways. *Complete*: every planned trial has an outcome. *Stopped by
the user*: running tries are cancelled, which the log says, and are run again another
time. *Stopped by a guard*: going on would lose outcomes (the log takes no more), produce
nothing (no sandbox can be made) or nothing that could be believed (nobody watches).
"""

import contextlib
import os
import shutil
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from barograph import __version__
from barograph.clock import US_PER_S, Clock, SystemClock
from barograph.envelope import Belongs
from barograph.facts import Raised, SweepFinished, SweepPlanned, SweepStarted, TrialFinished
from barograph.folder import DataFolder
from barograph.ids import new_source, new_sweep
from barograph.log.journal import JournalLog
from barograph.log.port import LogError
from barograph.writer import Said, Writer
from runner.crew import Crew, Reason
from runner.errors import OtherSweepError
from runner.ownership import owned
from runner.plan import PlannedTrial, plan
from runner.preflight import check_agents, check_driver, make_room_for_files
from runner.progress import Listener, Progress, ProgressBoard
from runner.redact import Redactor
from runner.resume import Orphan, Past, read_past
from runner.sandboxes.port import Driver, DriverContext
from runner.sandboxes.registry import open_driver
from runner.shared import Shared
from runner.stopping import stopping_on_signals
from runner.sweeps import Sweep
from runner.watching import Watcher

HARNESS: Final = "barograph"


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignEnd:
    """How a campaign ended."""

    sweep_id: str
    reason: Reason
    progress: Progress
    """At the end: nothing runs any more."""


class Campaign:
    """One campaign over one sweep. ``run`` once; ``stop`` from any thread."""

    def __init__(
        self,
        sweep: Sweep,
        folder: DataFolder,
        *,
        driver: str = "local",
        listener: Listener | None = None,
        environment: Mapping[str, str] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Nothing happens yet.

        Args:
            sweep: a loaded sweep file.
            folder: made by ``DataFolder.create``; one sweep a folder.
            driver: name of the sandbox driver.
            listener: told of progress.
            environment: from which agents are given what the file names; the process' own
                when None.
            clock: of all events; the system's own when None.

        """
        self._sweep, self._folder, self._driver_name = sweep, folder, driver
        self._listener = listener
        self._environment = dict(os.environ if environment is None else environment)
        self._clock = clock or SystemClock()
        self._crew: Crew | None = None
        self._stop_asked = False

    def stop(self) -> None:
        """Cancel what runs and end; what is cancelled is run again by the next campaign."""
        self._stop_asked = True
        if self._crew is not None:
            self._crew.stop()

    def run(self) -> CampaignEnd:
        """Work until the plan is complete or somebody stops it.

        Returns:
            How it ended, when it was complete or stopped by the user.

        Raises:
            InputError: the sweep cannot run here as it is written, or the data folder holds
                another one.
            BusyError: a living campaign owns the data folder.
            EnvironmentRefusal: this machine cannot do it, or a guard stopped it.
            SandboxFailedError: left-overs of an earlier campaign would not go away.

        """
        check_agents(self._sweep, self._environment)
        make_room_for_files(self._sweep)
        with contextlib.ExitStack() as stack:
            stack.enter_context(owned(self._folder))
            log = stack.enter_context(_journal(self._folder))
            past = read_past(log)
            sweep_id = self._sweep_id(past)
            planned = plan(self._sweep, sweep_id)
            driver = open_driver(self._driver_name, self._context())
            stack.callback(driver.close)
            check_driver(self._sweep, driver.capabilities)
            crew = self._hire(planned, past)
            writer = Writer(log, source=new_source("r"), clock=self._clock)
            watcher = Watcher(
                self._folder,
                writer,
                self._clock,
                lost=lambda error: crew.fail(error, cancel=False),
            )
            stack.callback(watcher.close)
            self._tidy(driver, watcher)
            shared = self._shared(sweep_id, driver, watcher, writer, crew)
            self._open(shared, past, crew.board.snapshot())
            with stopping_on_signals(self.stop):
                crew.work(shared)
            self._close(shared, crew)
        return CampaignEnd(sweep_id=sweep_id, reason=crew.reason, progress=crew.board.snapshot())

    def _sweep_id(self, past: Past) -> str:
        """The sweep's id: from the log, where there is one.

        Raises:
            OtherSweepError: the log is about something else.

        """
        if past.planned is None or past.sweep_id is None:
            return new_sweep()
        if past.planned.digest != self._sweep.digest:
            raise OtherSweepError(
                f"this data folder holds sweep {past.planned.name!r} ({past.planned.digest}), "
                f"and {self._sweep.file.name} describes {self._sweep.name!r} "
                f"({self._sweep.digest})",
                where=self._folder.root,
                field="--dir",
                remedy="give another --dir, or the file and tasks as they were planned",
            )
        return past.sweep_id

    def _context(self) -> DriverContext:
        return DriverContext(
            folder_id=self._folder.identity,
            scratch=self._folder.scratch,
            records=self._folder.sandboxes,
            collector_socket=self._folder.collector_socket,
            parent_cap_bytes=self._sweep.parent_cap_bytes,
        )

    def _hire(self, planned: Sequence[PlannedTrial], past: Past) -> Crew:
        standing = {one.trial: past.standing(one.trial) for one in planned}
        board = ProgressBoard(
            self._clock,
            planned=len(planned),
            past=[finished for finished in standing.values() if finished is not None],
            listener=self._listener,
        )
        crew = Crew(
            [one for one in planned if standing[one.trial] is None],
            next_try=past.next_try,
            board=board,
            concurrency=self._sweep.concurrency,
        )
        self._crew = crew
        if self._stop_asked:
            crew.stop()
        return crew

    def _tidy(self, driver: Driver, watcher: Watcher) -> None:
        """Remove what an earlier runner left on this machine."""
        driver.clean_left_overs(lambda standing: watcher.finish(standing, "left_over"))
        # Nothing stands now, so what is still there was begun by a runner that was killed
        # before it could even make a note of it.
        for folder in (self._folder.agents, self._folder.sandboxes, self._folder.scratch):
            shutil.rmtree(folder, ignore_errors=True)

    def _shared(
        self, sweep_id: str, driver: Driver, watcher: Watcher, writer: Writer, crew: Crew
    ) -> Shared:
        names = {name for agent in self._sweep.agents for name in agent.env}
        return Shared(
            sweep=self._sweep,
            sweep_id=sweep_id,
            folder=self._folder,
            driver=driver,
            observer=watcher,
            writer=writer,
            clock=self._clock,
            redactor=Redactor(self._environment[name] for name in names),
            host=os.uname().nodename,
            host_environment=self._environment,
            on_phase=crew.board.entered,
        )

    def _open(self, shared: Shared, past: Past, progress: Progress) -> None:
        """Say what is planned (once), who works on it now, and what a dead runner could not."""
        belongs = Belongs(sweep=shared.sweep_id)
        said: list[Said] = []
        if past.planned is None:
            said.append(Said(_planned(self._sweep), belongs))
        started = SweepStarted(
            host=shared.host,
            pid=os.getpid(),
            concurrency=self._sweep.concurrency,
            resumed=past.planned is not None,
            trials_left=progress.planned - progress.done,
        )
        said.append(Said(started, belongs))
        said += [_given_up(orphan, shared.sweep_id) for orphan in past.orphans()]
        shared.writer.write_many(said)
        shared.writer.sync()

    def _close(self, shared: Shared, crew: Crew) -> None:
        progress = crew.board.snapshot()
        finished = SweepFinished(
            reason=crew.reason,
            trials_ended=progress.done,
            message=None if crew.failure is None else str(crew.failure),
        )
        try:
            shared.writer.write(finished, Belongs(sweep=shared.sweep_id))
            shared.writer.sync()
        except LogError:
            if crew.failure is None:
                raise
        if crew.failure is not None:
            raise crew.failure


@contextlib.contextmanager
def _journal(folder: DataFolder) -> Generator[JournalLog]:
    """The folder's log. What closing refuses is no news when something else went wrong."""
    log = JournalLog(folder.journal)
    try:
        yield log
    except BaseException:
        with contextlib.suppress(LogError):
            log.close()
        raise
    log.close()


def _planned(sweep: Sweep) -> SweepPlanned:
    return SweepPlanned(
        name=sweep.name,
        digest=sweep.digest,
        seed=sweep.seed,
        trials=sweep.trials,
        attempts=sweep.attempts,
        spec=sweep.settings,
        product_version=__version__,
        harness=HARNESS,
        tasks=sweep.task_digests,
        dataset=sweep.choice.dataset,
        timezone=sweep.timezone,
        oom_scope=sweep.oom_scope,
        conditions=[condition.name for condition in sweep.conditions],
        agents=[agent.name for agent in sweep.agents],
    )


def _given_up(orphan: Orphan, sweep_id: str) -> Said:
    """The end that a dead runner could not write: its try is run again."""
    end = TrialFinished(
        how="cancelled",
        duration_s=(orphan.last_t_us - orphan.started_t_us) / US_PER_S,
        exceptions=[Raised(type="RunnerDied", message="the runner ended before the try did")],
    )
    belongs = Belongs(
        sweep=sweep_id, trial=orphan.trial, try_no=orphan.try_no, target=orphan.target
    )
    return Said(end, belongs)
