"""Which target a pid belongs to, remembered for a while after the process ended.

The kernel log's line about a kill names a pid always, a cgroup not always, and by the time
it is read the process may be gone. So the members of each target are noted at every tick,
and at once when the kernel announces an OOM, which on cgroup v1 is before it kills.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from collector.probes.processes import Leader, leader

REMEMBER_US: Final = 10_000_000
_MOST_LOOKED_AT_AGAIN: Final = 256
"""A look costs 20 us; a target of thousands of processes must not stop the loop."""


@dataclass(slots=True)
class _Member:
    leader: Leader | None
    left_us: int | None = None
    """When a scan first missed it; None while it lives."""


class PidMap:
    """Pid -> target and session, for the living and the just departed."""

    def __init__(self, look_up: Callable[[int], Leader | None] = leader) -> None:
        """Begin empty; ``look_up`` reads a process' session and name."""
        self._look_up = look_up
        self._targets: dict[str, dict[int, _Member]] = {}

    def scan(self, target: str, pids: Sequence[int], *, now_us: int, fresh: bool = False) -> None:
        """Note who is in ``target`` now.

        Args:
            target: name of the target.
            pids: its members.
            now_us: monotonic time.
            fresh: look at known members again too (a process may have begun a session).

        """
        members = self._targets.setdefault(target, {})
        fresh = fresh and len(pids) <= _MOST_LOOKED_AT_AGAIN
        for pid in pids:
            known = members.get(pid)
            if known is None or known.left_us is not None or fresh:
                found = self._look_up(pid)
                if found is None and known is not None:
                    found = known.leader  # it ended since the list was made
                members[pid] = _Member(found)
        if len(members) == len(pids):
            return
        living = frozenset(pids)
        for pid, member in list(members.items()):
            if pid in living:
                continue
            if member.left_us is None:
                member.left_us = now_us
            elif now_us - member.left_us > REMEMBER_US:
                del members[pid]

    def targets_of(self, pid: int) -> list[str]:
        """Targets in which ``pid`` was last seen."""
        return [target for target, members in self._targets.items() if pid in members]

    def session_of(self, pid: int) -> int | None:
        """Its session: as it is now, else as it was when last looked at."""
        now = self._look_up(pid)
        if now is not None:
            return now.session
        for members in self._targets.values():
            member = members.get(pid)
            if member is not None and member.leader is not None:
                return member.leader.session
        return None

    def forget(self, target: str) -> None:
        """Drop a target and its members."""
        self._targets.pop(target, None)
