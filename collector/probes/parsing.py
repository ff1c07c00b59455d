"""The kernel's text files, as numbers. Pure functions over bytes; what is not there is None.

They look for the one or two lines that are wanted and leave the rest alone: a tick reads
thousands of such files, and splitting a whole ``memory.stat`` costs more than reading it.
"""

from typing import Final, NamedTuple

UNLIMITED_FROM: Final = 2**62
"""cgroup v1 has no word for "no limit"; it shows the largest page-aligned number."""


class Pair(NamedTuple):
    """Two numbers of one file: some and full, read and written, received and sent."""

    first: int | None
    second: int | None


NEITHER: Final = Pair(None, None)


def flat(data: bytes, key: bytes) -> int | None:
    """Value of ``key`` in a file of ``key value`` lines."""
    if data.startswith(key + b" "):
        start = len(key) + 1
    else:
        found = data.find(b"\n" + key + b" ")
        if found < 0:
            return None
        start = found + len(key) + 2
    end = data.find(b"\n", start)
    return whole(data[start:] if end < 0 else data[start:end])


def whole(text: bytes) -> int | None:
    """A decimal integer of 0 or more; None for anything else (``max``, nothing at all)."""
    stripped = text.strip()
    return int(stripped) if stripped.isdigit() else None


def limit(text: bytes) -> int | None:
    """A ceiling in bytes; None for ``max`` and for v1's largest number."""
    value = whole(text)
    return None if value is None or value >= UNLIMITED_FROM else value


def less(total: int | None, part: int | None) -> int | None:
    """``total - part``, at least 0: the two were read one after the other."""
    return None if total is None or part is None else max(0, total - part)


def psi(data: bytes) -> Pair:
    """Totals of a pressure file in microseconds: of some and of all tasks stalled."""
    return Pair(_total(data, b"some "), _total(data, b"full "))


def _total(data: bytes, row: bytes) -> int | None:
    start = data.find(row)
    if start < 0:
        return None
    end = data.find(b"\n", start)
    line = data[start:] if end < 0 else data[start:end]
    return whole(line.partition(b"total=")[2])


def blkio(data: bytes) -> Pair:
    """Bytes read and written over all devices, of a v1 ``io_service_bytes`` file.

    Rows are ``8:0 Read 4096``; a cgroup that did no I/O has the row ``Total 0`` only,
    which is a true 0.
    """
    read = written = 0
    for line in data.splitlines():
        match line.split():
            case [_, b"Read", count]:
                read += int(count)
            case [_, b"Write", count]:
                written += int(count)
            case _:
                pass
    return Pair(read, written)


def io_stat(data: bytes) -> Pair:
    """Bytes read and written over all devices, of a v2 ``io.stat`` file."""
    read = written = 0
    for word in data.split():
        if word.startswith(b"rbytes="):
            read += int(word[7:])
        elif word.startswith(b"wbytes="):
            written += int(word[7:])
    return Pair(read, written)


_RECEIVED, _SENT = 0, 8


def net_dev(data: bytes) -> Pair:
    """Bytes received and sent over all interfaces but the loopback, of ``net/dev``."""
    received = sent = 0
    for line in data.splitlines():
        name, colon, rest = line.partition(b":")
        numbers = rest.split()
        if not colon or name.strip() == b"lo" or len(numbers) <= _SENT:
            continue
        received += int(numbers[_RECEIVED])
        sent += int(numbers[_SENT])
    return Pair(received, sent)


def numbers(data: bytes) -> list[int]:
    """Whitespace-separated integers: ``cgroup.procs``."""
    return [int(word) for word in data.split()]


_IDLE_COLUMNS: Final = (3, 4)


def cpu_busy_ticks(stat: bytes) -> int | None:
    """Clock ticks that all cores were not idle, of ``/proc/stat``.

    user, nice, system, irq, softirq and steal; guest time is part of user already.
    """
    words = stat.partition(b"\n")[0].split()
    if len(words) < 9 or words[0] != b"cpu":  # noqa: PLR2004 - the columns up to steal
        return None
    columns = [int(word) for word in words[1:9]]
    return sum(value for column, value in enumerate(columns) if column not in _IDLE_COLUMNS)
