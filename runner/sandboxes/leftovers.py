"""Find and remove what runners that were killed left standing.

Three kinds are met: a sandbox whose supervisor is just cleaning up (wait for it, it is
nearly done), one whose supervisor found no collector and left cgroups and record, and one
whose supervisor was killed as well. Nothing is decided by a pid alone: that a supervisor
lives is told by the lock on the record, and what belongs to a sandbox by its cgroups.
"""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Final

from barograph.envelope import Belongs
from runner.sandboxes import records
from runner.sandboxes.cgroups import Group, kill_path
from runner.sandboxes.errors import SandboxFailedError
from runner.sandboxes.port import BeforeRemove, Standing
from runner.sandboxes.records import Place, Record
from runner.sandboxes.supervisor import removal, syscalls

_PATIENCE_S: Final = 20.0
"""A supervisor alone kills, asks the collector (10 s at most) and removes."""
_SECOND_PATIENCE_S: Final = 5.0
_KILL_TIMEOUT_S: Final = 15.0


class LeftOvers:
    """The left-overs of one data folder."""

    def __init__(self, group: Group, folder: Path, ours: Collection[str]) -> None:
        """``folder`` holds the records; ``ours`` are names of living sandboxes to leave alone."""
        self._group, self._folder, self._ours = group, folder, ours
        self._raised: list[Exception] = []

    def clean(self, before_remove: BeforeRemove | None) -> list[Standing]:
        """Remove all of them, each in its turn, whatever happens to one.

        Returns:
            Those that were still standing.

        Raises:
            SandboxFailedError: something would not go away.

        """
        cleaned: list[Standing] = []
        problems: list[str] = []
        for path in records.paths(self._folder):
            if path.stem not in self._ours:
                problems += self._clean_recorded(path, before_remove, cleaned)
        for standing in self._unrecorded():
            place = Place(scratch=self._folder / standing.name, record=self._folder / standing.name)
            problems += self._remove(standing, place, before_remove)
            cleaned.append(standing)
        if problems:
            raise SandboxFailedError(
                f"left-overs of an earlier run would not go away: {'; '.join(problems)}",
                where=self._folder,
            )
        if self._raised:
            raise self._raised[0]
        return cleaned

    def _clean_recorded(
        self, path: Path, before_remove: BeforeRemove | None, cleaned: list[Standing]
    ) -> list[str]:
        record = records.read(path)
        with records.unattended(path, _PATIENCE_S) as free:
            if not free and record is not None:
                _kill_supervisor(record)
        if record is None:
            path.unlink(missing_ok=True)  # torn while it was written: nothing was made yet
            return []
        with records.unattended(path, _SECOND_PATIENCE_S) as free:
            if not path.exists():
                return []  # its supervisor finished meanwhile
            if not free:
                return [f"the supervisor {record.supervisor_pid} of {path} does not end"]
            problems = self._remove(
                record.standing, Place(scratch=record.scratch, record=path), before_remove
            )
        cleaned.append(record.standing)
        return problems

    def _remove(
        self, standing: Standing, place: Place, before_remove: BeforeRemove | None
    ) -> list[str]:
        left = removal.kill_below(kill_path(standing), _KILL_TIMEOUT_S)
        if before_remove is not None and _stood(standing):
            try:
                before_remove(standing)
            except Exception as error:  # noqa: BLE001 - the others must go too; raised at the end
                self._raised.append(error)
        problems = [f"process {pid} cannot be killed" for pid in left]
        return problems + records.remove_all(standing, place)

    def _unrecorded(self) -> list[Standing]:
        """Sandboxes whose record is lost, found by their cgroups."""
        known = {*self._ours, *(path.stem for path in records.paths(self._folder))}
        version = self._group.hierarchies.version
        found = {
            entry.name
            for path in self._group.paths().values()
            if Path(path).is_dir()
            for entry in Path(path).iterdir()
            if entry.is_dir() and entry.name not in known
        }
        return [
            Standing(
                name=name,
                belongs=Belongs(target=name),
                cgroups=self._group.paths(name),
                kernel_path=self._group.kernel_path(name),
                cgroup_version=version,
                oom_scope="process",
            )
            for name in sorted(found)
        ]


def _stood(standing: Standing) -> bool:
    """Whether it was whole, so that its last counters can be read.

    A runner killed while it made the cgroups of version 1, or while it removed them, leaves
    some trees and not others: such a sandbox never stood, or has been ended before.
    """
    return all(Path(path).is_dir() for path in standing.cgroups.values())


def _kill_supervisor(record: Record) -> None:
    """Kill a supervisor that holds its record and does not end, and nobody else."""
    try:
        pidfd = os.pidfd_open(record.supervisor_pid)
    except OSError:
        return
    try:
        arguments = Path(f"/proc/{record.supervisor_pid}/cmdline").read_bytes()
        if arguments.rstrip(b"\0").endswith(record.standing.name.encode()):
            syscalls.kill_pidfd(pidfd)
    except OSError:
        return
    finally:
        os.close(pidfd)
