"""A writer: one process incarnation that says facts in an unbroken order.

The writer stamps each fact with both clocks and the next seq and appends it. A seq is
used up only by an event that the log took (or may have taken), so that the seqs of a
source have no gaps but those that the log itself explains.

When the disk is full, samples are given up and everything else is still written from the
log's reserve. Dropped samples never get a seq; how many were lost and when is an event of
its own (``samples.thinned``), at the first loss, then every ten seconds, then at the end.

``BAROGRAPH_ACK_FD``: a descriptor, inherited, to which every acknowledged identity is
written as ``source seq``, *after* ``append`` returned. A pipe outlives its writer, so a test can
hold a killed process to exactly what it had been promised.
"""

import os
import threading
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from barograph.clock import US_PER_S, Clock, SystemClock
from barograph.envelope import NOTHING, Belongs, Event
from barograph.facts import Payload, Sample, SamplesThinned
from barograph.log.port import Log, LogError, LogFullError

ACK_FD_VARIABLE: Final = "BAROGRAPH_ACK_FD"
_REPORT_EVERY_US: Final = 10 * US_PER_S


class Said(NamedTuple):
    """A fact on its way to the log."""

    payload: Payload
    belongs: Belongs = NOTHING
    t_us: int | None = None
    """Wall time of the fact; None for now."""
    mono_us: int | None = None


class Writer:
    """One source. Thread-safe."""

    def __init__(
        self,
        log: Log,
        *,
        source: str,
        clock: Clock | None = None,
        acknowledged: Callable[[Sequence[Event]], None] | None = None,
    ) -> None:
        """Begin at seq 0; ``source`` must be new (``barograph.ids.new_source``).

        Args:
            log: where events go.
            source: this incarnation's id.
            clock: the system's own when None.
            acknowledged: called with what the log has just taken; the default writes to
                the descriptor in ``BAROGRAPH_ACK_FD`` when that is set.

        """
        self._log = log
        self._source = source
        self._clock = clock or SystemClock()
        self._acknowledged = acknowledged or _pipe_acknowledgement()
        self._seq = 0
        self._lock = threading.Lock()
        self._dropped = 0
        self._dropped_total = 0
        self._dropped_first_us = 0
        self._reported_us: int | None = None

    @property
    def source(self) -> str:
        """The id of this incarnation."""
        return self._source

    @property
    def written(self) -> int:
        """Events that the log has taken from this writer."""
        return self._seq

    @property
    def samples_dropped(self) -> int:
        """Samples given up because the log had no room."""
        return self._dropped_total

    def write(
        self, payload: Payload, belongs: Belongs = NOTHING, *, t_us: int | None = None
    ) -> Event | None:
        """Append one fact; see ``write_many``. None: a sample that was given up."""
        events = self.write_many([Said(payload, belongs, t_us)])
        return events[0] if events and events[0].payload is payload else None

    def write_many(self, said: Sequence[Said]) -> list[Event]:
        """Append facts in one batch.

        Returns:
            What the log took: everything, or everything but samples on a full disk.

        Raises:
            LogError: nothing was taken, and it was more than samples on a full disk.

        """
        with self._lock:
            try:
                events = self._append(said)
            except LogFullError:
                kept = [item for item in said if not isinstance(item.payload, Sample)]
                if len(kept) == len(said):
                    raise
                self._drop(len(said) - len(kept))
                return self._append(kept) + self._report_loss()
            if self._dropped and any(isinstance(item.payload, Sample) for item in said):
                self._reported_us = None  # samples are taken again: say what was lost
                events += self._report_loss()
            return events

    def sync(self) -> None:
        """Bring what was written to the disk, where the log has one."""
        sync = getattr(self._log, "sync", None)
        if callable(sync):
            sync()

    def _append(self, said: Sequence[Said]) -> list[Event]:
        events = self._stamped(said)
        if not events:
            return events
        try:
            self._log.append(events)
        except LogError as error:
            if error.uncertain:
                self._seq += len(events)
            raise
        self._seq += len(events)
        if self._acknowledged is not None:
            self._acknowledged(events)
        return events

    def _stamped(self, said: Sequence[Said]) -> list[Event]:
        wall_us, mono_us = self._clock.wall_us(), self._clock.mono_us()
        return [
            Event(
                source=self._source,
                seq=seq,
                t_us=wall_us if item.t_us is None else item.t_us,
                mono_us=mono_us if item.mono_us is None else item.mono_us,
                belongs=item.belongs,
                payload=item.payload,
            )
            for seq, item in enumerate(said, start=self._seq)
        ]

    def _drop(self, samples: int) -> None:
        if not self._dropped:
            self._dropped_first_us = self._clock.wall_us()
        self._dropped += samples
        self._dropped_total += samples

    def _report_loss(self) -> list[Event]:
        """Say what was lost, when it is time to; what cannot be said now is kept."""
        now_us = self._clock.mono_us()
        if self._reported_us is not None and now_us - self._reported_us < _REPORT_EVERY_US:
            return []
        loss = SamplesThinned(
            reason="disk full",
            ranges=[],
            dropped=self._dropped,
            first_t_us=self._dropped_first_us,
            last_t_us=self._clock.wall_us(),
        )
        try:
            events = self._append([Said(loss)])
        except LogFullError:
            return []
        self._dropped = 0
        self._reported_us = now_us
        return events


def inherited_descriptors() -> tuple[int, ...]:
    """What a process that writes must be handed, for subprocess' ``pass_fds``."""
    variable = os.environ.get(ACK_FD_VARIABLE)
    return () if variable is None else (int(variable),)


def _pipe_acknowledgement() -> Callable[[Sequence[Event]], None] | None:
    variable = os.environ.get(ACK_FD_VARIABLE)
    if variable is None:
        return None
    fd = int(variable)

    def acknowledge(events: Sequence[Event]) -> None:
        # One write of less than PIPE_BUF bytes a line is atomic among writers.
        for event in events:
            os.write(fd, f"{event.source} {event.seq}\n".encode())

    return acknowledge
