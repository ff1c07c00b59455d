"""The way from the loop to the log, which goes on whatever the log raises.

Samples are expendable: one that cannot be written is counted and forgotten, the next second
brings another. Everything else (kills, ends of targets, what could not be seen) is kept
in memory and tried again at every tick until the log takes it, in order.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from barograph.clock import Clock
from barograph.errors import BarographError
from barograph.facts import ProbeUnavailable, Sample
from barograph.writer import Said, Writer
from collector.probes.port import Gap

_MOST_KEPT: Final = 20_000


class Recorder:
    """One writer, and what it could not write yet."""

    def __init__(self, writer: Writer, clock: Clock) -> None:
        """Write through ``writer``; facts without a time get that of ``clock``."""
        self._writer = writer
        self._clock = clock
        self._kept: deque[Said] = deque(maxlen=_MOST_KEPT)
        self._lost_samples = 0
        self._told_gaps: set[Gap] = set()
        self.last_error: Exception | None = None
        self.is_losing = False
        """Whether the last batch lost samples: no room for anything that can be spared."""

    @property
    def source(self) -> str:
        """Id of this incarnation."""
        return self._writer.source

    @property
    def written(self) -> int:
        """Events that the log has taken."""
        return self._writer.written

    @property
    def samples_dropped(self) -> int:
        """Samples that the log did not take."""
        return self._writer.samples_dropped + self._lost_samples

    @property
    def outstanding(self) -> int:
        """Facts that wait for the log to take them again."""
        return len(self._kept)

    def record(self, said: Sequence[Said]) -> bool:
        """Write a batch; False when something in it has to wait (or a sample is lost)."""
        if not said and not self._kept:
            return True
        now_us, mono_us = self._clock.wall_us(), self._clock.mono_us()
        stamped = [
            item
            if item.t_us is not None and item.mono_us is not None
            else item._replace(
                t_us=now_us if item.t_us is None else item.t_us,
                mono_us=mono_us if item.mono_us is None else item.mono_us,
            )
            for item in said
        ]
        dropped_before = self._writer.samples_dropped
        try:
            self._writer.write_many([*self._kept, *stamped])
        except (BarographError, OSError) as error:
            # Whatever is wrong with the disk, the next tick must come.
            self.last_error = error
            samples = self._keep(stamped)
            self._lost_samples += samples - (self._writer.samples_dropped - dropped_before)
            self.is_losing = samples > 0
            return False
        self._kept.clear()
        self.last_error = None
        self.is_losing = self._writer.samples_dropped > dropped_before
        return not self.is_losing

    def say_gaps(self, gaps: Sequence[Gap]) -> None:
        """Say what cannot be seen, each thing once."""
        fresh = [gap for gap in dict.fromkeys(gaps) if gap not in self._told_gaps]
        if fresh:
            self._told_gaps.update(fresh)
            self.record(
                [Said(ProbeUnavailable(probe=gap.probe, reason=gap.reason)) for gap in fresh]
            )

    def sync(self) -> BarographError | None:
        """Bring the log to the disk (for ``Behind``); the error when that failed."""
        try:
            self._writer.sync()
        except (BarographError, OSError) as error:
            return error if isinstance(error, BarographError) else BarographError(str(error))
        return None

    def _keep(self, stamped: Sequence[Said]) -> int:
        """Keep all but samples; returns how many those were."""
        facts = [item for item in stamped if not isinstance(item.payload, Sample)]
        self._kept.extend(facts)
        return len(stamped) - len(facts)
