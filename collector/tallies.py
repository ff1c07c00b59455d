"""The kills of one target: ordinals that its counter has shown, victims found for them.

A part of ``kills``, which argues the whole. Pure.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from barograph.envelope import Belongs
from barograph.facts import OomKill
from barograph.writer import Said

_STAMP_SLACK_US: Final = 1_000_000
"""How far the kernel log's clock, as converted, may be ahead of ours.

It is converted by how soon records were read, so on a machine that is slow to wake us, and for
the first records above all, it runs ahead. Order is better evidence where there is any.
"""
VICTIM_WAIT_US: Final = 1_000_000
"""How long a counted kill waits for the kernel log to name its victim.

Usually the line is there within 0.1 ms. But it is the dying task that writes it, and that
may be throttled by its own CPU quota, or not run for a while on a busy machine.
"""

VictimFrom = Literal["kernel_log", "kernel_log_and_pid_map"]


@dataclass(slots=True, kw_only=True, eq=False)
class Victim:
    """Who was killed, by the kernel log. Compared by identity: each is one kill."""

    pid: int
    comm: str
    rss_bytes: int
    anon_bytes: int
    stamp_us: int
    """The kernel log's own stamp."""
    killed_us: int
    """The same on our monotonic clock."""
    killed_t_us: int
    """The same on the wall clock."""
    arrived_us: int
    """When we read it (monotonic)."""
    constraint: str | None = None
    oom_cgroup: str | None = None
    task_cgroup: str | None = None
    session: int | None = None
    found_by: VictimFrom = "kernel_log"
    is_old: bool = False
    """In the log before this collector began."""
    told: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class Ordinal:
    """One step of the counter that has no victim (yet)."""

    number: int
    before: int
    after: int
    before_t_us: int | None
    after_t_us: int
    seen_us: int
    """When the counter showed it (monotonic)."""
    told: bool = False
    absorbed: Victim | None = None
    """A victim that nobody could place and that was taken for this one's."""

    def could_be(self, victim: Victim) -> bool:
        """Whether the victim was killed before the counter showed this ordinal."""
        return victim.killed_us <= self.seen_us + _STAMP_SLACK_US


class Tally:
    """One target. ``kills.KillLedger`` drives it."""

    def __init__(
        self, belongs: Belongs, path: str | None, *, includes_below: bool, counted: int | None
    ) -> None:
        """Begin; see ``KillLedger.open``."""
        self.belongs = belongs
        self.path = path
        self.counted = counted
        self.read_t_us: int | None = None
        self.read_us = 0
        """When the counter was last read (monotonic)."""
        self.limit_bytes: int | None = None
        self.held = False
        self.open: list[Ordinal] = []
        self.spare: deque[Victim] = deque()
        self.given_back: list[Victim] = []
        """Victims that were taken for ordinals whose own victim came after all."""
        self._includes_below = includes_below

    def covers(self, path: str | None) -> bool:
        """Whether a task killed in the cgroup ``path`` moves this target's counter."""
        if path is None or self.path is None:
            return False
        return path == self.path or (self._includes_below and path.startswith(self.path + "/"))

    def count(self, value: int, *, t_us: int, now_us: int) -> bool:
        """Take a read of the counter; True when it moved."""
        before = self.counted
        before_t_us, self.read_t_us = self.read_t_us, t_us
        self.read_us = now_us
        if before is None or value <= before:
            return False
        # Counted from the beginning of the counter: a predecessor may have told of it.
        self.held = self.held or before_t_us is None
        self.counted = value
        self.open += [
            Ordinal(
                number=number,
                before=before,
                after=value,
                before_t_us=before_t_us,
                after_t_us=t_us,
                seen_us=now_us,
            )
            for number in range(before + 1, value + 1)
        ]
        return True

    def release(self, told: Mapping[int, int | None]) -> None:
        """End the holding, given ordinal -> victim's pid of what was told already."""
        self.held = False
        self.open = [one for one in self.open if one.number not in told]
        for pid in told.values():
            used = next((victim for victim in self.spare if victim.pid == pid), None)
            if used is not None:
                self.spare.remove(used)

    def match(self) -> list[Said]:
        """Give victims to ordinals, both in their order, as far as both are there.

        Ordinals that still wait come first, for the victim of one that was told without is
        late by a second or more, or lost by the log; unless the victim was killed before
        the counter showed that one. (Our estimate of that time is never early.)
        """
        if self.held:
            return []
        said: list[Said] = []
        while self.spare and self.open:
            victim = self.spare.popleft()
            fitting = (one for one in self.open if not one.told or victim.killed_us <= one.seen_us)
            one = next(fitting, self.open[0])
            self.open.remove(one)
            if one.absorbed is not None:
                self.given_back.append(one.absorbed)
            said.append(self._said(one, victim))
        return said

    def may_show(self, victim: Victim) -> bool:
        """Whether a kill that is yet to be counted or named might be this victim's."""
        if self.counted is not None and self.read_us < victim.arrived_us:
            return True
        return any(not one.told and one.could_be(victim) for one in self.open)

    def overdue(self, now_us: int, wait_us: int) -> list[Said]:
        """Ordinals that have waited ``wait_us`` or more, told without a victim."""
        said: list[Said] = []
        for one in self.open:
            if not one.told and now_us - one.seen_us >= wait_us:
                one.told = True
                said.append(self._said(one, None))
        return said

    def from_log_alone(self) -> list[Said]:
        """Kills that the counter can no longer show, as the kernel log tells them."""
        said: list[Said] = []
        while self.spare:
            victim = self.spare.popleft()
            before = self.counted or 0
            self.counted = before + 1
            one = Ordinal(
                number=before + 1,
                before=before,
                after=before + 1,
                before_t_us=self.read_t_us,
                after_t_us=victim.killed_t_us,
                seen_us=victim.killed_us,
            )
            said.append(self._said(one, victim, counter_was_read=False))
        return said

    def _said(self, one: Ordinal, victim: Victim | None, *, counter_was_read: bool = True) -> Said:
        at_us = one.after_t_us
        if victim is not None:
            at_us = min(victim.killed_t_us, one.after_t_us)
            at_us = at_us if one.before_t_us is None else max(at_us, one.before_t_us)
        fact = OomKill(
            ordinal=one.number,
            counter_before=one.before,
            counter_after=one.after,
            read_before_t_us=one.before_t_us,
            read_after_t_us=one.after_t_us if counter_was_read else None,
            victim_pid=None if victim is None else victim.pid,
            victim_session_pid=None if victim is None else victim.session,
            victim_comm=None if victim is None else victim.comm,
            victim_rss_bytes=None if victim is None else victim.rss_bytes,
            victim_anon_bytes=None if victim is None else victim.anon_bytes,
            killed_t_us=None if victim is None else at_us,
            constraint=None if victim is None else victim.constraint,
            oom_cgroup=None if victim is None else victim.oom_cgroup,
            task_cgroup=None if victim is None else victim.task_cgroup,
            victim_from=None if victim is None else victim.found_by,
            limit_bytes=self.limit_bytes,
        )
        return Said(fact, self.belongs, at_us)
