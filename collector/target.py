"""One watched target: its probe, its last reading, who announced it, how it stands."""

from typing import Final

from barograph.clock import Clock
from barograph.envelope import Belongs
from barograph.facts import Sample, SandboxDestroyed
from barograph.writer import Said
from collector import rates
from collector.errors import ProbeRefusal, TargetGone
from collector.probes.opening import open_probe
from collector.probes.port import Gap, Reading
from collector.protocol import Watch

EMPTY_FOR_US: Final = 2_000_000
"""How long an orphaned target must hold no process before it counts as ended."""


class Target:
    """A target from ``watch`` to ``finish``."""

    def __init__(self, watch: Watch, clock: Clock, *, kernel_path: str | None) -> None:
        """Open it and read it once: the first sample's differences begin here.

        Args:
            watch: the request.
            clock: of this process.
            kernel_path: the cgroup as the kernel log prints it.

        Raises:
            TargetGone: it does not exist.
            ProbeRefusal: it cannot be read.

        """
        self.watch = watch
        self.name = watch.target
        self.kernel_path = kernel_path
        self.belongs = Belongs(
            sweep=watch.sweep, trial=watch.trial, try_no=watch.try_no, target=watch.target
        )
        self.samples = 0
        self.owner: int | None = None
        """The connection that announced it; None for one that closed, or none at all."""
        self.is_orphan = False
        self.is_gone = False
        self.trouble: Gap | None = None
        """Why its last read failed, if it did."""
        self._clock = clock
        self._empty_since_us: int | None = None
        self.probe = open_probe(
            watch.cgroups, reset_peaks=watch.ours or watch.reset_peaks, pid=watch.pid
        )
        try:
            self.last = self.probe.read()
        except BaseException:
            self.probe.close()
            raise
        self.read_us = clock.mono_us()
        self.read_t_us = clock.wall_us()

    def sample(self) -> Said | None:
        """Read it; None when it is gone (which is remembered) or cannot be read now."""
        if self.is_gone:
            return None
        try:
            reading = self.probe.read()
        except TargetGone:
            self.is_gone = True
            return None
        except ProbeRefusal as refusal:
            self.trouble = Gap(probe=f"{self.probe.name}.read", reason=refusal.problem)
            return None
        return Said(self._sample(reading), self.belongs, self.read_t_us, self.read_us)

    def members(self) -> list[int]:
        """Pids in it now; none when it is gone."""
        if self.is_gone:
            return []
        try:
            return self.probe.members()
        except TargetGone:
            self.is_gone = True
        except ProbeRefusal:
            pass
        return []

    def kill_count(self) -> int | None:
        """Its kill counter now; None when it is gone or has none."""
        if self.is_gone:
            return None
        try:
            return self.probe.kill_count()
        except TargetGone:
            self.is_gone = True
        except ProbeRefusal:
            pass
        return None

    def has_ended(self, now_us: int, *, is_empty: bool) -> bool:
        """Whether nobody will ever finish it: no owner, and nothing in it for a while.

        Args:
            now_us: monotonic time.
            is_empty: it held no process at the last look.

        """
        if not (is_empty or self.is_gone):
            self._empty_since_us = None
            return False
        if self._empty_since_us is None:
            self._empty_since_us = now_us
        if self.is_orphan:
            return now_us - self._empty_since_us >= EMPTY_FOR_US
        # One that somebody attached to, not announced as ours, ends with its cgroup.
        return self.is_gone and not self.watch.ours

    def final(self, reason: rates.EndReason) -> SandboxDestroyed:
        """Its totals, as last read."""
        return rates.final(self.last, read_by="collector", reason=reason, samples=self.samples)

    def _sample(self, reading: Reading) -> Sample:
        now_us = self._clock.mono_us()
        sample = rates.sample(self.last, reading, interval_us=now_us - self.read_us)
        self.last, self.read_us, self.read_t_us = reading, now_us, self._clock.wall_us()
        self.samples += 1
        return sample
