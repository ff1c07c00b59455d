"""The data folder: is there room, may it be written to, is somebody at work in it."""

import os
from pathlib import Path
from typing import Final

from barograph.folder import DataFolder
from barograph.units import GIB, MIB, format_bytes
from ui.checks.check import Check, fail, ok, warn
from ui.checks.holder import holder

_LITTLE_ROOM_BYTES: Final = 2 * GIB
_NO_ROOM_BYTES: Final = 200 * MIB


def place_checks(folder: DataFolder) -> list[Check]:
    """Every check of this file, for one data folder, which need not exist yet."""
    stands = _nearest(folder.root)
    return [_writable(folder, stands), _room(stands), _owner(folder), _collector(folder)]


def _nearest(path: Path) -> Path:
    return next(one for one in (path, *path.parents) if one.exists())


def _writable(folder: DataFolder, stands: Path) -> Check:
    name = "data folder"
    remedy = "give --dir a folder that can be written to"
    if not stands.is_dir():
        return fail(name, f"{stands} is a file", remedy)
    if os.statvfs(stands).f_flag & os.ST_RDONLY:
        return fail(name, f"{stands} is on a read-only file system", remedy)
    if not os.access(stands, os.W_OK | os.X_OK):
        return fail(name, f"{stands} cannot be written to", remedy)
    new = "" if stands == folder.root else " (will be made)"
    return ok(name, f"{folder.root}{new}")


def _room(stands: Path) -> Check:
    stats = os.statvfs(stands)
    free = stats.f_bavail * stats.f_frsize
    said = f"{format_bytes(free)} free"
    if free < _NO_ROOM_BYTES:
        return fail("disk", said, "make room, or give --dir a folder elsewhere")
    if free < _LITTLE_ROOM_BYTES:
        return warn("disk", said, "scratch files of trials may need more")
    return ok("disk", said)


def _owner(folder: DataFolder) -> Check:
    pid = holder(folder.owner_lock)
    if pid is None:
        return ok("campaign", "none is running on this data folder")
    return ok("campaign", f"one is running on this data folder (pid {pid})")


def _collector(folder: DataFolder) -> Check:
    pid = holder(folder.collector_lock)
    running = holder(folder.owner_lock) is not None
    if pid is not None:
        return ok("collector", f"alive (pid {pid})")
    if running:
        said, remedy = "not alive while a campaign is", "the campaign starts it again by itself"
        return warn("collector", said, remedy)
    return ok("collector", "not running, as nothing is to be watched")
