r"""What the kernel log says about OOM kills: text to notices. Pure, but for remembering a line.

A kill is told in two lines. ``oom-kill:constraint=...,task_memcg=...,pid=...`` names the
cgroups but belongs to a report that the kernel rations to ten in five seconds; it is printed in
pieces, which another message can break apart into records marked as continuations.
``Killed process N (comm) ...`` comes once for every kill that is counted, but names no
cgroup. So the second makes the notice and the first, when there was one for that pid,
completes it.

Only records of the kernel itself count (facility 0): a process that may write to
``/dev/kmsg`` can say anything, and is filed under another facility.

In the text, control characters, backslashes and everything beyond ASCII stand as ``\xNN``.
"""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

_HEADER: Final = re.compile(
    r"oom-kill:constraint=(?P<constraint>\w+),.*?"
    r"(?:oom_memcg=(?P<oom>.*?),|global_oom,)task_memcg=(?P<task>.*),"
    r"task=.*,pid=(?P<pid>\d+),uid=\d+$",
    re.DOTALL,
)
_GROUP: Final = re.compile(
    r"Tasks in (?P<path>.*) are going to be killed due to memory\.oom\.group set", re.DOTALL
)
_KILLED: Final = re.compile(
    r"(?P<scope>.*?)Killed process (?P<pid>\d+) \((?P<comm>.*)\) total-vm:\d+kB, "
    r"anon-rss:(?P<anon>\d+)kB, file-rss:(?P<file>\d+)kB(?:, shmem-rss:(?P<shmem>\d+)kB)?",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(rb"\\x([0-9a-fA-F]{2})")
_OPENINGS: Final = ("oom-kill:", "Tasks in ")
_KIB: Final = 1024
_HEADER_HOLDS_US: Final = 10_000_000
_GROUP_HOLDS_US: Final = 50_000
_MOST_HEADERS: Final = 64


class Record(NamedTuple):
    """One record of ``/dev/kmsg``."""

    facility: int
    stamp_us: int
    """Microseconds of the kernel's own clock since boot."""
    continues: bool
    """A later piece of a line that was begun in an earlier record."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KillNotice:
    """A kill as the kernel log tells it; what it does not say is None."""

    pid: int
    comm: str
    rss_bytes: int
    anon_bytes: int
    stamp_us: int
    constraint: str | None = None
    oom_cgroup: str | None = None
    task_cgroup: str | None = None
    group_cgroup: str | None = None
    """The cgroup whose tasks are being killed together just now: a hint, no proof."""


class _Header(NamedTuple):
    stamp_us: int
    constraint: str
    oom_cgroup: str | None
    task_cgroup: str


def parse_record(raw: bytes) -> Record | None:
    """Take a record apart; None when it is not one.

    Its form is ``priority,sequence,stamp,flags[,more];text``, then lines that begin with a
    space and hold a dictionary that is no part of the text.
    """
    prefix, semicolon, rest = raw.partition(b";")
    fields = prefix.split(b",")
    if not semicolon or len(fields) < 4:  # noqa: PLR2004 - as the form above says
        return None
    try:
        priority, stamp_us = int(fields[0]), int(fields[2])
    except ValueError:
        return None
    text = rest.partition(b"\n")[0]
    return Record(
        facility=priority >> 3,
        stamp_us=stamp_us,
        continues=fields[3] == b"c",
        text=_ESCAPE.sub(_unescaped, text).decode(errors="replace"),
    )


def _unescaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 16)])


class KillParser:
    """Follows the log record by record."""

    def __init__(self) -> None:
        """Begin between two lines."""
        self._begun = ""
        self._headers: dict[int, _Header] = {}
        self._group: tuple[str, int] | None = None

    def feed(self, record: Record) -> KillNotice | None:
        """Take the next record; a notice when it tells of a kill."""
        if record.facility != 0:
            return None
        text = record.text
        if text.startswith(_OPENINGS):
            self._begun = text
            self._complete(record.stamp_us)
            return None
        if record.continues and self._begun:
            self._begun += text
            self._complete(record.stamp_us)
            return None
        killed = _KILLED.search(text) if "Killed process" in text else None
        return None if killed is None else self._notice(killed, record.stamp_us)

    def _complete(self, stamp_us: int) -> None:
        """Keep a line that has all its pieces; wait for the rest of any other."""
        header = _HEADER.search(self._begun)
        if header is not None:
            while len(self._headers) >= _MOST_HEADERS:
                del self._headers[next(iter(self._headers))]
            pid = int(header["pid"])
            self._headers.pop(pid, None)
            self._headers[pid] = _Header(
                stamp_us=stamp_us,
                constraint=header["constraint"],
                oom_cgroup=header["oom"],
                task_cgroup=header["task"],
            )
            self._begun = ""
        elif (group := _GROUP.search(self._begun)) is not None:
            self._group = (group["path"], stamp_us)
            self._begun = ""

    def _notice(self, killed: re.Match[str], stamp_us: int) -> KillNotice:
        pid = int(killed["pid"])
        header = self._headers.pop(pid, None)
        if header is not None and stamp_us - header.stamp_us > _HEADER_HOLDS_US:
            header = None
        constraint = "CONSTRAINT_MEMCG" if "Memory cgroup" in killed["scope"] else None
        anon, file, shmem = (int(killed[key] or 0) for key in ("anon", "file", "shmem"))
        return KillNotice(
            pid=pid,
            comm=killed["comm"],
            rss_bytes=(anon + file + shmem) * _KIB,
            anon_bytes=anon * _KIB,
            stamp_us=stamp_us,
            constraint=constraint if header is None else header.constraint,
            oom_cgroup=None if header is None else header.oom_cgroup,
            task_cgroup=None if header is None else header.task_cgroup,
            group_cgroup=self._group_at(stamp_us),
        )

    def _group_at(self, stamp_us: int) -> str | None:
        if self._group is None or stamp_us - self._group[1] > _GROUP_HOLDS_US:
            return None
        return self._group[0]
