"""Seeing kills: the kernel's notification, the kernel log, the pids, and the re-reading.

The order of things on cgroup v1 is: the kernel announces the OOM, picks a victim, counts the
kill, kills, writes the log line. We may be awake before the victim is even picked. So a
notification does two things at once (note who is in the target, read the counter) and then
reads the counter again every ``REREAD_US`` for a bounded time, until it moves or the
cgroup is gone. The tick reads all counters anyway.

Bookkeeping is in ``kills`` (which argues the join) and ``pids``; here are the descriptors.
"""

from collections.abc import Callable, Mapping
from typing import Final

from barograph.clock import Clock
from barograph.writer import Said
from collector.kernel_clock import KernelClock
from collector.kernel_log import KillNotice, KillParser, parse_record
from collector.kills import Identity, KillLedger
from collector.pids import PidMap
from collector.probes import processes
from collector.probes.kmsg import KernelLogProbe
from collector.probes.port import Gap
from collector.tallies import VICTIM_WAIT_US, Victim
from collector.target import Target

REREAD_US: Final = 1_500
REREAD_FOR_US: Final = 300_000
PAST_WAIT_US: Final = 20_000_000
_SETTLE_EVERY_US: Final = 500_000


class KillWatch:
    """All that is known about kills, for all targets."""

    def __init__(self, clock: Clock, targets: Mapping[str, Target], *, past_is_known: bool) -> None:
        """Open the kernel log and read what it holds already.

        Args:
            clock: of this process.
            targets: by name, kept up to date by the owner of the mapping.
            past_is_known: see ``KillLedger``.

        """
        self.log = KernelLogProbe()
        self._clock = clock
        self._targets = targets
        self._ledger = KillLedger(
            past_is_known=past_is_known, victim_wait_us=0 if self.log.fd is None else VICTIM_WAIT_US
        )
        self._pids = PidMap()
        self._parser = KillParser()
        self._kernel_clock = KernelClock()
        self._rereads: dict[str, int] = {}
        self._next_settle_us = 0
        self._told_overruns = 0
        self._read_log(is_old=True)

    @property
    def gaps(self) -> list[Gap]:
        """Why victims may stay unnamed."""
        gaps = [self.log.gap] if self.log.gap is not None else []
        if self.log.overruns:
            reason = "the ring was overwritten before it was read; some victims stay unnamed"
            gaps.append(Gap(probe="kernel_log.overrun", reason=reason))
        return gaps

    def open(self, target: Target) -> None:
        """Begin with a target that was just read for the first time."""
        total = target.last.oom_kill_total
        from_start = target.watch.ours and total is not None
        self._ledger.open(
            target.name,
            belongs=target.belongs,
            path=target.kernel_path,
            includes_below=target.probe.counts_descendants,
            baseline=0 if from_start else total,
            now_t_us=None if from_start else target.read_t_us,
        )
        self._ledger.limit(target.name, target.last.limit_bytes)
        self._count(target, total)
        self.scan(target)

    def scan(self, target: Target, *, fresh: bool = False) -> bool:
        """Note who is in the target now; True when somebody is."""
        pids = target.members()
        self._pids.scan(target.name, pids, now_us=self._clock.mono_us(), fresh=fresh)
        return bool(pids)

    def notified(self, target: Target) -> bool:
        """The kernel woke us for the target; False when it was for no OOM."""
        if not target.probe.woken():
            return False
        if self._count(target, target.kill_count()):
            self._rereads.pop(target.name, None)
        elif target.probe.announces_early and not target.is_gone:
            self._rereads[target.name] = self._clock.mono_us() + REREAD_FOR_US
        self.scan(target, fresh=True)
        return True

    def sampled(self, target: Target) -> None:
        """The target's counters were read with a sample."""
        self._ledger.limit(target.name, target.last.limit_bytes)
        self._count(target, target.last.oom_kill_total)

    def log_stirred(self, _events: int = 0) -> None:
        """The kernel log has records."""
        self._read_log(is_old=False)

    def reread(self) -> None:
        """Read the counters that were announced to move."""
        now_us = self._clock.mono_us()
        for name, until_us in list(self._rereads.items()):
            target = self._targets.get(name)
            is_over = now_us >= until_us
            if target is None or is_over or self._count(target, target.kill_count()):
                del self._rereads[name]

    def settle(self) -> None:
        """Let the ledger tell what waited long enough."""
        now_us = self._clock.mono_us()
        self._ledger.settle(now_us)
        self._next_settle_us = now_us + _SETTLE_EVERY_US

    def deadline_us(self) -> int:
        """When ``reread`` and ``settle`` want to be called next."""
        times = [self._next_settle_us]
        if self._rereads:
            times.append(self._clock.mono_us() + REREAD_US)
        waiting_us = self._ledger.deadline_us()
        if waiting_us is not None:
            times.append(waiting_us)
        return min(times)

    def is_settled(self, target: Target, deadline_us: int) -> bool:
        """Whether every kill that the target's counter showed was told, or has to be now.

        The log may still be searched for what a predecessor told; that is worth waiting for,
        because without it a kill might be told again with another victim.
        """
        if not self._ledger.waits(target.name):
            return True
        late_us = self._clock.mono_us() - deadline_us
        return late_us >= (0 if self._ledger.knows_past else PAST_WAIT_US)

    def close(self, target: Target) -> None:
        """End with a target; what is outstanding is told."""
        self._rereads.pop(target.name, None)
        self._ledger.close(
            target.name, counter_is_final=not target.is_gone, now_us=self._clock.mono_us()
        )
        self._pids.forget(target.name)

    def know_past(self, past: Mapping[Identity, Mapping[int, int | None]]) -> None:
        """What predecessors told."""
        self._ledger.know_past(past)

    def take(self, *, hurry: bool = False) -> list[Said]:
        """Facts to write now."""
        if hurry:
            self._ledger.settle(self._clock.mono_us(), hurry=True)
        return self._ledger.take()

    def shut(self) -> None:
        """Give the kernel log back."""
        self.log.close()

    def _count(self, target: Target, total: int | None) -> bool:
        return self._ledger.count(
            target.name, total, t_us=self._clock.wall_us(), now_us=self._clock.mono_us()
        )

    def _read_log(self, *, is_old: bool) -> None:
        for raw in self.log.records():
            record = parse_record(raw)
            if record is None:
                continue
            notice = self._parser.feed(record)
            if notice is None:
                continue
            if not is_old:
                self._kernel_clock.saw(stamp_us=notice.stamp_us, now_us=self._clock.mono_us())
            self._accuse(notice, is_old=is_old)

    def _accuse(self, notice: KillNotice, *, is_old: bool) -> None:
        victim = self._victim(notice, is_old=is_old)
        if victim.task_cgroup is not None:
            names = self._ledger.targets_at(victim.task_cgroup)
        elif is_old:
            names = []
        else:
            names = self._find(notice, victim)
        for name in names:
            target = self._targets.get(name)
            if target is not None:
                self._count(target, target.kill_count())
        self._ledger.accuse(victim, names)

    def _victim(self, notice: KillNotice, *, is_old: bool) -> Victim:
        now_us = self._clock.mono_us()
        killed_us = min(self._kernel_clock.mono_us(notice.stamp_us), now_us)
        return Victim(
            pid=notice.pid,
            comm=notice.comm,
            rss_bytes=notice.rss_bytes,
            anon_bytes=notice.anon_bytes,
            stamp_us=notice.stamp_us,
            killed_us=killed_us,
            killed_t_us=self._clock.wall_us() - (now_us - killed_us),
            arrived_us=now_us,
            constraint=notice.constraint,
            oom_cgroup=notice.oom_cgroup,
            task_cgroup=notice.task_cgroup,
            session=None if is_old else self._pids.session_of(notice.pid),
            is_old=is_old,
        )

    def _find(self, notice: KillNotice, victim: Victim) -> list[str]:
        """Targets of a victim whose line named no cgroup: by its pid, then by hint."""
        lookups: tuple[Callable[[], list[str]], ...] = (
            lambda: self._with_parents(self._pids.targets_of(notice.pid)),
            lambda: self._at_paths(processes.cgroups(notice.pid)),
            lambda: self._at_paths({notice.group_cgroup} if notice.group_cgroup else set()),
        )
        for look_up in lookups:
            names = look_up()
            if names:
                victim.found_by = "kernel_log_and_pid_map"
                return names
        return []

    def _with_parents(self, names: list[str]) -> list[str]:
        """Targets and, where counters include what is below, the targets around them."""
        found = dict.fromkeys(names)
        for name in names:
            target = self._targets.get(name)
            if target is not None and target.kernel_path is not None:
                found.update(dict.fromkeys(self._ledger.targets_at(target.kernel_path)))
        return list(found)

    def _at_paths(self, paths: set[str]) -> list[str]:
        return [name for path in sorted(paths) for name in self._ledger.targets_at(path)]
