"""Copy files between the host and a sandbox without letting the task make use of it.

A forked helper does it: outside of the sandbox's cgroups (a copy is the harness' cost)
and of its PID namespace (no task can see or stop it), in the sandbox's *mount*
namespace, so that a path inside resolves as it does for the task, and never to the
host's files. The host's side is held by a descriptor that was opened before.

Privileges follow the side: the host's files are touched as the host's root, the task's
files as the task's own user, whose rights the kernel then checks. A symbolic link, a
pipe or a renamed folder that a task puts in the way leads nowhere its user could not go.
"""

# ruff: noqa: PTH102, PTH103 - pathlib is slow to import

import errno
import os
import stat

from runner.sandboxes.supervisor.inside import Inside

_DEEPEST = 64
_MOST_ENTRIES = 10_000
_CHUNK_BYTES = 1 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PERMISSIONS = 0o777
_TAKEN_AWAY = (errno.ENOENT, errno.EACCES, errno.ELOOP, errno.ENOTDIR, errno.ENXIO)
"""What a task can do to its own files while they are being downloaded."""


class CopyError(Exception):
    """A copy that cannot go on; the text is for the driver."""


class _Copier:
    """Copies one tree from one user's files to another's."""

    def __init__(self, reader: int, writer: int, room_bytes: int | None) -> None:
        """``reader``, ``writer``: effective users of the two sides.

        ``room_bytes`` bounds the copy and makes it distrust what it finds: a download.
        """
        self._reader, self._writer = reader, writer
        self._room = room_bytes
        self._entries = 0
        self._supervisor = os.getppid()

    def reading(self) -> None:
        _act_as(self._reader)

    def writing(self) -> None:
        _act_as(self._writer)

    def entry(self, source: int, name: str, target: int, new_name: str, depth: int) -> None:
        """Copy ``name`` in folder ``source`` to ``new_name`` in folder ``target``."""
        self._entries += 1
        if os.getppid() != self._supervisor:  # changing users undoes "die with the parent"
            raise CopyError("failed:the supervisor ended")
        if self._room is not None and (self._entries > _MOST_ENTRIES or depth > _DEEPEST):
            raise CopyError("failed:too many files, or nested too deeply")
        self.reading()
        mode = os.stat(name, dir_fd=source, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            self._folder(source, name, target, new_name, depth)
        elif stat.S_ISREG(mode):
            self._file(source, name, target, new_name)
        elif self._room is not None:
            return  # a download leaves out links, devices, pipes and sockets
        elif stat.S_ISLNK(mode):
            goal = os.readlink(name, dir_fd=source)
            self.writing()
            _make_way(target, new_name)
            os.symlink(goal, new_name, dir_fd=target)
        else:
            raise CopyError(f"input:{name} is neither file, folder nor link")

    def _folder(self, source: int, name: str, target: int, new_name: str, depth: int) -> None:
        inner = os.open(name, _FOLDER, dir_fd=source)
        mode = stat.S_IMODE(os.fstat(inner).st_mode) & _PERMISSIONS
        self.writing()
        new = _make_folder(target, new_name)
        outer = os.open(new_name, _FOLDER, dir_fd=target)
        try:
            self.contents(inner, outer, depth + 1)
            if new:
                self.writing()
                os.fchmod(outer, mode | 0o700)
        finally:
            os.close(inner)
            os.close(outer)

    def contents(self, source: int, target: int, depth: int) -> None:
        """Copy all entries of one open folder into another."""
        self.reading()
        for name in self._names(source):
            try:
                self.entry(source, name, target, name, depth)
            except OSError as error:
                if self._room is None or error.errno not in _TAKEN_AWAY:
                    raise

    def _names(self, folder: int) -> list[str]:
        """Names in a folder in a fixed order, no more of them than can be copied."""
        names: list[str] = []
        with os.scandir(folder) as entries:
            for entry in entries:
                names.append(entry.name)
                if self._room is not None and len(names) > _MOST_ENTRIES:
                    break
        return sorted(names)

    def _file(self, source: int, name: str, target: int, new_name: str) -> None:
        data = os.open(name, _READ, dir_fd=source)
        try:
            facts = os.fstat(data)
            if stat.S_ISREG(facts.st_mode):
                self.file(data, target, new_name, stat.S_IMODE(facts.st_mode) & _PERMISSIONS)
        finally:
            os.close(data)

    def file(self, data: int, target: int, new_name: str, mode: int) -> None:
        """Copy an open file to ``new_name`` in ``target``."""
        self.writing()
        _make_way(target, new_name)
        copy = os.open(new_name, _CREATE, 0o600, dir_fd=target)
        try:
            while count := self._most():
                sent = os.sendfile(copy, data, None, count)
                if sent == 0:
                    break
                if self._room is not None:
                    self._room -= sent
            else:
                if os.read(data, 1):
                    raise CopyError("failed:more bytes than were allowed")
            os.fchmod(copy, mode | 0o600)
        finally:
            os.close(copy)

    def _most(self) -> int:
        return _CHUNK_BYTES if self._room is None else min(_CHUNK_BYTES, self._room)


def upload(inside: Inside, source: str, target: str) -> str:
    """Copy host path ``source`` to inside path ``target``. Run in a helper of its own.

    Returns:
        ``ok``, or ``input:`` or ``failed:`` with a sentence.

    """
    try:
        here = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        facts = os.fstat(here)
        os.setgroups([])
        inside.enter_files()
        copier = _Copier(0, inside.uid, None)
        if stat.S_ISDIR(facts.st_mode):
            copier.contents(here, _made(target, inside.uid), 0)
        elif stat.S_ISREG(facts.st_mode):
            folder, name = os.path.split(target)
            mode = stat.S_IMODE(facts.st_mode) & _PERMISSIONS
            copier.file(here, _made(folder, inside.uid), name, mode)
        else:
            return "input:it is neither a file nor a folder"
    except CopyError as error:
        return str(error)
    except OSError as error:
        return f"failed:{error.strerror}: {error.filename or target}"
    return "ok"


def download(inside: Inside, source: str, folder: str, name: str, max_bytes: int) -> str:
    """Copy inside path ``source`` to ``name`` in the host's ``folder``. Run in a helper.

    Returns:
        ``ok``, ``absent``, or ``failed:`` with a sentence.

    """
    try:
        there = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        os.setgroups([])
        inside.enter_files()
        copier = _Copier(inside.uid, 0, max_bytes)
        copier.reading()
        try:
            found = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return "absent"
        facts = os.fstat(found)
        if stat.S_ISDIR(facts.st_mode):
            copier.writing()
            _make_folder(there, name)
            copier.contents(found, os.open(name, _FOLDER, dir_fd=there), 0)
        elif stat.S_ISREG(facts.st_mode):
            copier.file(found, there, name, stat.S_IMODE(facts.st_mode) & _PERMISSIONS)
        else:
            return "absent"
    except CopyError as error:
        return str(error)
    except OSError as error:
        return f"failed:{error.strerror}: {error.filename or name}"
    return "ok"


def _made(path: str, uid: int) -> int:
    """Open the inside folder ``path``, making what is missing of it for the task."""
    _act_as(0)
    top = "/" + path.strip("/").split("/", 1)[0]
    if not os.path.lexists(top):
        os.mkdir(top, 0o755)  # the root is the host's root's; the task could not do this
        os.chown(top, uid, uid)
    _act_as(uid)
    os.makedirs(path, 0o755, exist_ok=True)
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _make_folder(parent: int, name: str) -> bool:
    """Make a folder for its owner alone; False if something of that name is there."""
    try:
        os.mkdir(name, 0o700, dir_fd=parent)
    except FileExistsError:
        return False
    return True


def _make_way(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return


def _act_as(user: int) -> None:
    """Change the effective user and group; being root again restores its powers."""
    os.seteuid(0)
    os.setegid(user)
    os.seteuid(user)
