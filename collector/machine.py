"""The host and the collector itself, at each tick: what all trials share, and what we cost."""

from pathlib import Path
from typing import Final

from barograph.clock import US_PER_S, Clock
from barograph.facts import CollectorSelf
from barograph.writer import Said
from collector.cadence import Tick
from collector.probes.hierarchies import memory_version, mounts
from collector.probes.host import HostProbe, describe_host
from collector.probes.own import OwnProbe
from collector.probes.port import Gap
from collector.recorder import Recorder

SELF_EVERY_US: Final = 10 * US_PER_S


class Machine:
    """Host samples and ``collector.self``."""

    def __init__(self, folder: Path, recorder: Recorder, clock: Clock) -> None:
        """Describe the host in the log and begin to count.

        Args:
            folder: where free room is looked at.
            recorder: where facts go.
            clock: of this process.

        """
        self._clock = clock
        self._recorder = recorder
        self._host = HostProbe(folder)
        self._own = OwnProbe()
        self._host_us = self._own_us = clock.mono_us()
        self._cost = self._own.read()
        self._written = 0
        self._dropped = 0
        self._late_us: list[int] = []
        self._targets = 0
        recorder.record([Said(describe_host(memory_version(mounts())))])

    @property
    def gaps(self) -> list[Gap]:
        """What cannot be read of the host."""
        return self._host.gaps

    def tick(self, tick: Tick, *, targets: int) -> list[Said]:
        """The host's sample and, every ten seconds, our own cost.

        While the disk is so full that samples are lost, the host has one a ten seconds: the
        reserve is for kills and outcomes.
        """
        self._late_us.append(tick.late_us)
        self._targets = targets
        now_us = self._clock.mono_us()
        is_self_due = now_us - self._own_us >= SELF_EVERY_US - US_PER_S // 2
        said: list[Said] = []
        if is_self_due or not self._recorder.is_losing:
            interval_us, self._host_us = now_us - self._host_us, now_us
            said.append(Said(self._host.sample(interval_us=interval_us, targets=targets)))
        if is_self_due:
            said.append(Said(self._cost_since(now_us)))
        return said

    def last(self) -> list[Said]:
        """Our cost since it was last told, at the end."""
        now_us = self._clock.mono_us()
        interval_us = now_us - self._host_us
        host = self._host.sample(interval_us=interval_us, targets=0)
        return [Said(host), Said(self._cost_since(now_us))]

    def close(self) -> None:
        """Give the descriptors back."""
        self._host.close()
        self._own.close()

    def _cost_since(self, now_us: int) -> CollectorSelf:
        cost, before = self._own.read(), self._cost
        written, dropped = self._recorder.written, self._recorder.samples_dropped
        late_us = self._late_us or [0]
        fact = CollectorSelf(
            interval_us=now_us - self._own_us,
            cpu_us=cost.cpu_us - before.cpu_us,
            rss_bytes=cost.rss_bytes,
            ticks=len(self._late_us),
            targets=self._targets,
            lateness_max_us=max(late_us),
            lateness_mean_us=sum(late_us) // len(late_us),
            events_written=written - self._written,
            samples_dropped=dropped - self._dropped,
            open_files=cost.open_files,
        )
        self._own_us, self._cost = now_us, cost
        self._written, self._dropped, self._late_us = written, dropped, []
        return fact
