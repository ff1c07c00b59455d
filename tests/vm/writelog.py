"""Replays what qemu's ``blklogwrites`` recorded: the disk as a power cut would leave it.

Killing qemu loses what the guest's kernel had not yet sent to the disk. A real disk loses
more: whatever lies in its own cache since the last flush. The recording holds every write
and flush in the order of their completion, so the state "all up to that flush, nothing
after" can be built for every flush of a run, which makes one boot worth many power cuts.

The format is that of the kernel's dm-log-writes (Documentation/admin-guide/device-mapper):
little-endian; a super block, then entries of one sector of header and the data written.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MAGIC: Final = 0x6A736677736872
FLUSH: Final = 1
DISCARD: Final = 4
_SUPER: Final = struct.Struct("<QQQI")
_ENTRY: Final = struct.Struct("<QQQQ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One write, flush or discard."""

    offset: int
    """Where on the disk, in bytes."""
    length: int
    flags: int
    data_at: int
    """Offset of the data in the recording."""
    recorded_by: int
    """Length of the recording once this entry was in it."""


class WriteLog:
    """A recording of a machine that is off."""

    def __init__(self, path: Path) -> None:
        """Open and check the super block.

        Raises:
            ValueError: the file is no such recording.

        """
        self._path = path
        with path.open("rb") as file:
            magic, version, _entries, self._sector = _SUPER.unpack(file.read(_SUPER.size))
        if (magic, version) != (MAGIC, 1):
            msg = f"{path} is no recording of writes"
            raise ValueError(msg)

    def entries(self) -> Iterator[Entry]:
        """What was recorded, in order, up to the first piece that is not complete."""
        size, at = self._path.stat().st_size, self._sector
        with self._path.open("rb") as file:
            while at + self._sector <= size:
                file.seek(at)
                # qemu leaves the fourth field, the length of a mark's text, at 0.
                sector, sectors, flags, _ = _ENTRY.unpack(file.read(_ENTRY.size))
                length = sectors * self._sector
                end = at + self._sector + (0 if flags & DISCARD else length)
                if end > size:
                    return
                yield Entry(
                    offset=sector * self._sector,
                    length=length,
                    flags=flags,
                    data_at=at + self._sector,
                    recorded_by=end,
                )
                at = end

    def flushes(self) -> list[Entry]:
        """The flushes, in order."""
        return [entry for entry in self.entries() if entry.flags & FLUSH]

    def apply(self, disk: Path, *, after: int, up_to: int) -> None:
        """Write to ``disk`` what was recorded behind ``after`` and within ``up_to``.

        Both are lengths of the recording (``Entry.recorded_by``), so a disk is brought from
        flush to flush by applying only what lies between.
        """
        log = os.open(self._path, os.O_RDONLY)
        target = os.open(disk, os.O_WRONLY)
        try:
            for entry in self.entries():
                if after < entry.recorded_by <= up_to and entry.length:
                    zeros = entry.flags & DISCARD
                    data = (
                        bytes(entry.length) if zeros else os.pread(log, entry.length, entry.data_at)
                    )
                    os.pwrite(target, data, entry.offset)
        finally:
            os.close(target)
            os.close(log)
