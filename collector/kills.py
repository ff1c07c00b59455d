"""One fact for each kill: the join of what counters count and what the kernel log tells.

The counter is the proof that a kill happened, and how many; the log knows who. They arrive
in any order, so each side waits a bounded time for the other:

* A counter that moved from 2 to 4 makes ordinals 3 and 4. Each is told with the first victim
  that the log has for it, or without one after a second; a victim that comes later
  still tells the ordinal again, better described (readers keep the best).
* A victim whose ordinal has not been counted yet is kept until the counter is read.
* A victim in a cgroup that nobody watches becomes a fact about the host, after a time in
  which the cgroup may still be announced (a restarted collector is told its targets again).
* A victim without a cgroup, in no pid list, is taken for one of the ordinals that lack a
  victim, if there is one: that keeps the sum of all facts equal to the kernel's own count.
  Nobody is named by elimination.
* Only where the counter can no longer be read (the cgroup went with the kill) is the log
  alone enough; such a fact has no second read time.

Counters of our own sandboxes are counted from 0 whenever we began to watch, so that a
collector that was restarted tells what happened meanwhile. What its predecessor has told
is read from the log (``recovery``); until that is known, such ordinals are held.

Pure: time and readings are arguments, facts come out of ``take``.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

from barograph.envelope import Belongs
from barograph.facts import HostOomKill
from barograph.writer import Said
from collector.tallies import VICTIM_WAIT_US, Tally, Victim

NAMELESS_WAIT_US: Final = 2_000_000
NAMELESS_LONGEST_US: Final = 60_000_000
FOREIGN_WAIT_US: Final = 5_000_000
_MOST_KEPT: Final = 2_000

Identity = tuple[str | None, int | None, str]
"""Trial, try and target of a kill."""


class KillLedger:
    """All targets' counters and the victims of the kernel log."""

    def __init__(self, *, past_is_known: bool = True, victim_wait_us: int = VICTIM_WAIT_US) -> None:
        """Begin empty.

        Args:
            past_is_known: False while a predecessor's facts are still being read.
            victim_wait_us: how long to wait for a victim; 0 where no log can be read.

        """
        self._victim_wait_us = victim_wait_us
        self._past: dict[Identity, Mapping[int, int | None]] = {}
        self._past_is_known = past_is_known
        self._tallies: dict[str, Tally] = {}
        self._closed: dict[str, int] = {}
        self._foreign: deque[Victim] = deque(maxlen=_MOST_KEPT)
        self._nameless: list[Victim] = []
        self._ready: list[Said] = []

    def open(
        self,
        name: str,
        *,
        belongs: Belongs,
        path: str | None,
        includes_below: bool,
        baseline: int | None,
        now_t_us: int | None = None,
    ) -> None:
        """Begin with a target.

        Args:
            name: of the target, unique.
            belongs: what its facts belong to.
            path: its cgroup as the kernel log prints it.
            includes_below: the counter includes cgroups below it.
            baseline: counter value up to which kills are not ours to tell; None when it
                cannot be counted at all.
            now_t_us: when the baseline was read; None for the counter's beginning.

        """
        tally = Tally(belongs, path, includes_below=includes_below, counted=baseline)
        tally.read_t_us = now_t_us
        self._tallies[name] = tally
        if baseline != 0 or now_t_us is not None:
            return
        # The counter's own beginning: what the log said of this cgroup so far is its too.
        for victim in [victim for victim in self._foreign if tally.covers(victim.task_cgroup)]:
            self._foreign.remove(victim)
            tally.spare.append(victim)

    def count(self, name: str, value: int | None, *, t_us: int, now_us: int) -> bool:
        """A counter was read; True when it showed new kills."""
        tally = self._tallies.get(name)
        if tally is None or value is None:
            return False
        moved = tally.count(value, t_us=t_us, now_us=now_us)
        if moved and tally.held and self._past_is_known:
            self._release(name, tally)
        self._match(tally)
        return moved

    def limit(self, name: str, limit_bytes: int | None) -> None:
        """Note the ceiling in force, which is told with each kill."""
        tally = self._tallies.get(name)
        if tally is not None:
            tally.limit_bytes = limit_bytes

    def accuse(self, victim: Victim, names: Sequence[str]) -> None:
        """The kernel log told of a kill, in the targets ``names`` as far as is known."""
        known = False
        for name in names:
            tally = self._tallies.get(name)
            if tally is not None:
                tally.spare.append(victim)
                self._match(tally)
                known = True
        if known:
            return
        if victim.task_cgroup is None and not victim.is_old:
            self._nameless.append(victim)
        elif victim.task_cgroup is not None and self._closed.get(victim.task_cgroup, 0) > 0:
            self._closed[victim.task_cgroup] -= 1
        elif victim.task_cgroup is not None:
            self._foreign.append(victim)

    def targets_at(self, path: str) -> list[str]:
        """Targets whose counter moves when a task of the cgroup ``path`` is killed."""
        return [name for name, tally in self._tallies.items() if tally.covers(path)]

    def know_past(self, past: Mapping[Identity, Mapping[int, int | None]]) -> None:
        """Take what predecessors told: ordinal -> victim's pid, for each identity."""
        self._past = {**past, **self._past}
        self._past_is_known = True
        for name, tally in self._tallies.items():
            if tally.held:
                self._release(name, tally)
            self._match(tally)

    @property
    def knows_past(self) -> bool:
        """Whether what predecessors told is known by now."""
        return self._past_is_known

    def waits(self, name: str) -> bool:
        """Whether a kill of the target still waits for its victim, or for the past."""
        tally = self._tallies.get(name)
        return tally is not None and (tally.held or any(not one.told for one in tally.open))

    def settle(self, now_us: int, *, hurry: bool = False) -> None:
        """Tell what has waited long enough; everything when in a ``hurry``."""
        for tally in self._tallies.values():
            if not tally.held:
                self._ready += tally.overdue(now_us, 0 if hurry else self._victim_wait_us)
        self._absorb()
        for victim in list(self._nameless):
            if hurry or self._is_nobodys(victim, now_us):
                self._nameless.remove(victim)
                self._tell_host(victim)
        for victim in self._foreign:
            due = hurry or now_us - victim.arrived_us >= FOREIGN_WAIT_US
            if due and not (victim.is_old or victim.told):
                self._tell_host(victim)

    def deadline_us(self) -> int | None:
        """When ``settle`` has something to do next; None for not before a new arrival."""
        times = [
            one.seen_us + self._victim_wait_us
            for tally in self._tallies.values()
            if not tally.held
            for one in tally.open
            if not one.told
        ]
        return min(times, default=None)

    def close(self, name: str, *, counter_is_final: bool, now_us: int) -> None:
        """End with a target: everything outstanding is told.

        Args:
            name: of the target; unknown ones are ignored.
            counter_is_final: its counter was read after everything in it had happened, so
                that a victim which it does not show was not its.
            now_us: monotonic time.

        """
        tally = self._tallies.get(name)
        if tally is None:
            return
        if tally.held:
            self._release(name, tally)
        self._match(tally)
        self._ready += tally.overdue(now_us, 0)
        if not counter_is_final or tally.counted is None:
            self._ready += tally.from_log_alone()
        self._absorb()
        del self._tallies[name]
        # Should the same target be watched again, its kills have been told.
        if tally.counted:
            told = range(1, tally.counted + 1)
            self._past[_identity(name, tally)] = dict[int, int | None].fromkeys(told)
        self._foreign.extend(tally.spare)
        if tally.path is not None:
            self._closed[tally.path] = sum(one.absorbed is None for one in tally.open)
            while len(self._closed) > _MOST_KEPT:
                del self._closed[next(iter(self._closed))]

    def take(self) -> list[Said]:
        """Facts to write now; each is given once."""
        ready, self._ready = self._ready, []
        return ready

    def _match(self, tally: Tally) -> None:
        self._ready += tally.match()
        self._nameless += tally.given_back
        tally.given_back.clear()

    def _release(self, name: str, tally: Tally) -> None:
        """Let go of held ordinals, less those that a predecessor told."""
        tally.release(self._past.get(_identity(name, tally), {}))

    def _is_nobodys(self, victim: Victim, now_us: int) -> bool:
        """Whether a victim without a cgroup has waited for all counters to be read."""
        waited_us = now_us - victim.arrived_us
        if waited_us < NAMELESS_WAIT_US:
            return False
        pending = any(tally.may_show(victim) for tally in self._tallies.values())
        return not pending or waited_us >= NAMELESS_LONGEST_US

    def _absorb(self) -> None:
        """Take victims that nobody could place for ordinals that were told without one.

        The ordinal that was seen first chooses first: what it may take, the later ones may
        too. One that still waits to be told keeps its choice from the others.
        """
        if not self._nameless:
            return
        bare = [
            one for tally in self._tallies.values() for one in tally.open if one.absorbed is None
        ]
        free = sorted(self._nameless, key=lambda victim: victim.killed_us)
        for one in sorted(bare, key=lambda one: one.seen_us):
            if not free or not one.could_be(free[0]):
                continue
            victim = free.pop(0)
            if one.told:
                one.absorbed = victim
                self._nameless.remove(victim)

    def _tell_host(self, victim: Victim) -> None:
        victim.told = True
        fact = HostOomKill(
            victim_pid=victim.pid,
            victim_comm=victim.comm,
            victim_rss_bytes=victim.rss_bytes,
            constraint=victim.constraint,
            oom_cgroup=victim.oom_cgroup,
            task_cgroup=victim.task_cgroup,
            kernel_us=victim.stamp_us,
        )
        self._ready.append(Said(fact, t_us=victim.killed_t_us))


def _identity(name: str, tally: Tally) -> Identity:
    return (tally.belongs.trial, tally.belongs.try_no, name)
