"""Have the collector watch every sandbox, whatever happens to the collector.

The collector is another process, which may be killed like any other, and a sweep must not
lose a trial for it. So the watcher remembers what stands; when the collector is gone it
starts another, announces everything again, and nobody else notices: the counters of a
cgroup go on counting while nobody looks, and a successor tells the kills that its
predecessor did not.

The one thing that cannot wait is the end of a sandbox, because its counters go with its
cgroup. If no collector can be had at that moment, the runner reads them itself, with
the collector's own probe, and says that it was the one who read.
"""

import contextlib
import select
import threading
from collections.abc import Callable
from typing import Final, Protocol

from barograph.clock import Clock
from barograph.facts import OomKill
from barograph.folder import DataFolder
from barograph.writer import Said, Writer
from collector.client import CollectorClient
from collector.client import ensure as ensure_collector
from collector.errors import CollectorError, UnknownTargetError
from collector.probes.opening import open_probe
from collector.probes.port import Reading
from collector.protocol import Watch
from collector.rates import EndReason, final
from runner.errors import HelperFailedError
from runner.sandboxes.port import Standing

_LOOK_EVERY_S: Final = 0.25
_PAUSE_S: Final = 0.02
"""Between two looks: a link that stays readable is no reason to ask in a tight loop."""
_TRIES: Final = 3


class Observer(Protocol):
    """Who watches sandboxes; what a try needs to know of it."""

    def watch(self, standing: Standing) -> None:
        """Begin to watch. Raises HelperFailedError when nobody can."""
        ...

    def finish(self, standing: Standing) -> None:
        """Read the last counters and say how the sandbox ended, before its cgroups go."""
        ...


class Watcher:
    """The campaign's connection to the folder's collector. Thread-safe."""

    def __init__(
        self,
        folder: DataFolder,
        writer: Writer,
        clock: Clock,
        *,
        lost: Callable[[HelperFailedError], None],
        ensure: Callable[[DataFolder], CollectorClient] = ensure_collector,
    ) -> None:
        """Start the collector, or adopt the one that serves the folder.

        Args:
            folder: the campaign's.
            writer: for what the runner has to read in the collector's place.
            clock: for the times of those reads.
            lost: called once when no collector can be had any more; tries that run are
                still ended properly, but no other should begin.
            ensure: starts or adopts.

        Raises:
            HelperFailedError: no collector can be started.

        """
        self._folder, self._writer, self._clock = folder, writer, clock
        self._lost, self._ensure = lost, ensure
        self._standing: dict[str, Standing] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._generation = 0
        self._error: HelperFailedError | None = None
        try:
            self._client = ensure(folder)
        except CollectorError as error:
            raise HelperFailedError(str(error), where=folder.root) from error
        self._looker = threading.Thread(target=self._look, name="collector-watch", daemon=True)
        self._looker.start()

    def watch(self, standing: Standing) -> None:
        """Have a sandbox watched from now on.

        Raises:
            HelperFailedError: no collector watches it, and none can be made to.

        """
        with self._lock:
            self._standing[standing.name] = standing
        problem: CollectorError | None = None
        for _ in range(_TRIES):
            generation = self._generation
            try:
                self._client.watch(_watch(standing))
                return
            except CollectorError as error:
                problem = error
            if not self._restart(generation):
                break
        with self._lock:
            self._standing.pop(standing.name, None)
        raise HelperFailedError(f"nobody can watch the sandbox: {problem}", where=standing.name)

    def finish(self, standing: Standing, reason: EndReason = "finished") -> None:
        """See ``Observer.finish``.

        Raises:
            LogError: the end could not be written by anybody.

        """
        try:
            if not self._finished_by_collector(standing, reason):
                self._finish_alone(standing, reason)
        finally:
            with self._lock:
                self._standing.pop(standing.name, None)

    def close(self) -> None:
        """Hang up; the collector ends by itself when nobody needs it."""
        self._closing.set()
        self._looker.join()
        self._client.close()

    def _finished_by_collector(self, standing: Standing, reason: EndReason) -> bool:
        for _ in range(_TRIES):
            generation = self._generation
            try:
                self._client.finish(standing.name, reason)
                return True
            except UnknownTargetError:
                # Restarted since, or a left-over of an earlier campaign: it must see it first.
                with contextlib.suppress(CollectorError):
                    self._client.watch(_watch(standing))
            except CollectorError:
                if not self._restart(generation):
                    return False
        return False

    def _finish_alone(self, standing: Standing, reason: EndReason) -> None:
        last = _last_reading(standing)
        now_us = self._clock.wall_us()
        kills = last.oom_kill_total or 0
        said = [Said(_kill(ordinal, now_us, last)) for ordinal in range(1, kills + 1)]
        said.append(Said(final(last, read_by="runner", reason=reason, samples=None)))
        self._writer.write_many([one._replace(belongs=standing.belongs) for one in said])
        self._writer.sync()

    def _restart(self, generation: int) -> bool:
        """Have a living collector that knows all that stands; False when that fails."""
        with self._lock:
            if self._error is not None:
                return False
            if generation != self._generation:
                return True  # somebody else was faster
            self._client.close()
            try:
                self._client = self._ensure(self._folder)
            except CollectorError as error:
                self._error = HelperFailedError(str(error), where=self._folder.root)
                lost = self._error
            else:
                self._generation += 1
                for standing in self._standing.values():
                    # One that is just ending cannot be watched any more, and need not be.
                    with contextlib.suppress(CollectorError):
                        self._client.watch(_watch(standing))
                return True
        self._lost(lost)
        return False

    def _look(self) -> None:
        """Notice the collector's death even while nobody asks it anything."""
        while not self._closing.wait(_PAUSE_S) and self._error is None:
            generation, client = self._generation, self._client
            try:
                # Between calls only an end of file can be read; in a call it may be the answer.
                if _is_readable(client.fileno()) and not self._closing.is_set():
                    client.status()
            except (CollectorError, OSError):
                self._restart(generation)


def _is_readable(fd: int) -> bool:
    """Wait for a moment. Not ``select``, which knows no descriptor beyond 1023."""
    if fd < 0:
        return False  # closed, because somebody is just replacing it
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(_LOOK_EVERY_S * 1000))


def _watch(standing: Standing) -> Watch:
    belongs = standing.belongs
    return Watch(
        target=standing.name,
        cgroups=standing.cgroups,
        ours=True,
        kernel_path=standing.kernel_path,
        sweep=belongs.sweep,
        trial=belongs.trial,
        try_no=belongs.try_no,
    )


def _last_reading(standing: Standing) -> Reading:
    """The counters as they are now; all unknown where they cannot be read."""
    try:
        probe = open_probe(standing.cgroups)
    except CollectorError:
        return Reading()
    try:
        return probe.read()
    except CollectorError:
        return Reading()
    finally:
        probe.close()


def _kill(ordinal: int, now_us: int, last: Reading) -> OomKill:
    """A kill that only the counter tells of: whose ceiling it was at is not known.

    Readers keep a better description, if any.
    """
    return OomKill(
        ordinal=ordinal,
        counter_before=0,
        counter_after=last.oom_kill_total or ordinal,
        read_after_t_us=now_us,
        limit_bytes=last.limit_bytes,
    )
