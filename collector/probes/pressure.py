"""Pressure stall totals of a target, and whether they are the target's at all.

Pressure files live in the version 2 tree. On a hybrid host a target of version 1 has a folder there
too, but nobody guarantees that its processes were put into it; then the files say 0 for
ever, which would be read as "no pressure". So as long as the target has members and none of
them was seen in that folder, its pressure is unknown.
"""

import os
from collections.abc import Sequence
from typing import Final, NamedTuple

from collector.errors import ProbeRefusal, TargetGone
from collector.probes import parsing
from collector.probes.held import HeldFiles, opens, pread, read_all
from collector.probes.parsing import NEITHER, Pair
from collector.probes.port import Gap

_STRAY_FROM: Final = 3
"""Looks in a row that find members here and none there: one may fall between two moves."""


class Pressures(NamedTuple):
    """Totals in microseconds: of some and of all tasks stalled."""

    memory: Pair
    cpu: Pair
    io: Pair


UNKNOWN: Final = Pressures(NEITHER, NEITHER, NEITHER)


class Pressure:
    """The three pressure files of one folder, held open by ``files``."""

    def __init__(self, files: HeldFiles, folder: str | None) -> None:
        """Open what is there; the rest are gaps."""
        self._files = files
        self._memory = files.want(folder, "memory.pressure", "psi")
        self._cpu = files.want(folder, "cpu.pressure", "psi")
        self._io = files.want(folder, "io.pressure", "psi")
        self._folder = -1
        if folder is not None and opens(self._memory):
            self._folder = files.need(folder, ".", os.O_RDONLY | os.O_DIRECTORY)
        self._is_joined = False
        self._strays = 0

    def look(self, members: Sequence[int]) -> None:
        """Check that the target's members are counted here (version 1 only)."""
        if self._is_joined or not members or not opens(self._folder):
            return
        try:
            here = parsing.numbers(read_all(self._folder, "cgroup.procs"))
        except (ProbeRefusal, TargetGone):
            return
        self._is_joined = not set(here).isdisjoint(members)
        self._strays = 0 if self._is_joined else self._strays + 1
        if self._strays == _STRAY_FROM:
            reason = "the target's processes are not in its version 2 cgroup"
            self._files.gaps.append(Gap(probe="cgroup_v1.psi", reason=reason))

    def read(self) -> Pressures:
        """Totals now."""
        if self._strays >= _STRAY_FROM:
            return UNKNOWN
        return Pressures(
            memory=parsing.psi(pread(self._memory)),
            cpu=parsing.psi(pread(self._cpu)),
            io=parsing.psi(pread(self._io)),
        )
