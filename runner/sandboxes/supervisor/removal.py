"""Take a sandbox away: its processes, its cgroups, its files. Nothing may be left.

Used by the supervisor in the normal case and by the driver where the supervisor is gone,
so it imports next to nothing. Three facts about the kernel shape it:

* the death of a PID namespace's init kills everything in it, without a race against
  forks; killing by cgroup is only for what that cannot reach (one command of several,
  left-overs of unknown state). Version 2 has ``cgroup.kill`` for it; on version 1 the
  pids controller is first told to allow no more forks, then every pid is signalled through a
  pidfd that was checked to be still in the cgroup, because a pid may have passed to an
  innocent process since it was read;
* ``rmdir`` of a cgroup says EBUSY for a moment after its last process has gone;
* a hostile task can nest folders deeper than any recursion or descriptor limit, so a
  tree is removed by moving what is deep to the top.
"""

# ruff: noqa: PTH106, PTH123 - pathlib is slow to import

import os
import time

from runner.sandboxes.supervisor import syscalls

_PROCS = "cgroup.procs"
_STEP_S = 0.002
_LONGEST_STEP_S = 0.05


def pids_below(path: str) -> list[int]:
    """Pids in the cgroup at ``path`` and in those below it; none where it is gone."""
    return [pid for pid, _ in _members(path)]


def kill_below(path: str, timeout_s: float) -> list[int]:
    """Kill everything in a cgroup and below, and wait until it is gone.

    Args:
        path: a version 2 cgroup, or one of version 1's pids hierarchy.
        timeout_s: how long to go on.

    Returns:
        Pids that still are there after ``timeout_s`` (stuck in the kernel).

    """
    deadline = time.monotonic() + timeout_s
    step_s = _STEP_S
    for folder in (path, *_children(path)):
        _write(f"{folder}/pids.max", "0")  # no forks from here on; v2: where it has the file
    while members := _members(path):
        if not _write(f"{path}/cgroup.kill", "1"):
            for pid, folder in members:
                _kill_if_inside(pid, folder)
        if time.monotonic() > deadline:
            return pids_below(path)
        time.sleep(step_s)
        step_s = min(step_s * 1.5, _LONGEST_STEP_S)
    return []


def remove_cgroups(paths: list[str], timeout_s: float) -> list[str]:
    """Remove empty cgroups with those below them.

    Returns:
        One sentence for each that would not go.

    """
    deadline = time.monotonic() + timeout_s
    left = [folder for path in paths for folder in (*_children(path), path)]
    problems: dict[str, str] = {}
    while left:
        problems = {path: problem for path in left if (problem := _remove(path))}
        left = [path for path in left if path in problems]
        if not left or time.monotonic() > deadline:
            break
        time.sleep(_STEP_S)
    return list(problems.values())


def remove_tree(path: str) -> str:
    """Remove a folder and all in it, whatever a task made of it; nobody may be using it.

    Returns:
        Why it could not be removed; empty when it is gone.

    """
    try:
        top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{path}: {error.strerror}"
    try:
        _empty(top)
        os.rmdir(path)
    except OSError as error:
        return f"{path}: {error.strerror}"
    finally:
        os.close(top)
    return ""


def _empty(top: int) -> None:
    """Remove everything below a folder; depth costs renames instead of stack."""
    moved = 0
    while names := [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in _scan(top)]:
        for name, is_folder in names:
            if not is_folder:
                os.unlink(name, dir_fd=top)
                continue
            if _removed_empty(name, top):
                continue
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
            try:
                for entry in list(_scan(inner)):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.name, dir_fd=inner)
                    elif not _removed_empty(entry.name, inner):
                        moved += 1
                        os.rename(entry.name, f".moved-{moved}", src_dir_fd=inner, dst_dir_fd=top)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)


def _removed_empty(name: str, folder: int) -> bool:
    try:
        os.rmdir(name, dir_fd=folder)
    except OSError:
        return False
    return True


def _scan(fd: int) -> list[os.DirEntry[str]]:
    with os.scandir(fd) as entries:
        return list(entries)


def _children(path: str) -> list[str]:
    """Cgroups one level below (a sandbox has one for each command, never deeper)."""
    try:
        with os.scandir(path) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _remove(path: str) -> str:
    try:
        os.rmdir(path)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{path}: {error.strerror}"
    return ""


def _write(path: str, value: str) -> bool:
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(fd, value.encode())
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def _members(path: str) -> list[tuple[int, str]]:
    """Every pid with the cgroup that it was found in."""
    found: list[tuple[int, str]] = []
    for folder in (path, *_children(path)):
        try:
            with open(f"{folder}/{_PROCS}", encoding="ascii") as file:
                found += [(int(line), folder) for line in file]
        except OSError:
            continue  # removed meanwhile: nothing is in it
    return found


def _kill_if_inside(pid: int, folder: str) -> None:
    try:
        pidfd = os.pidfd_open(pid)
    except OSError:
        return  # ended meanwhile
    try:
        # Through the pidfd it stays the same process from here on, so look once more.
        if _is_inside(pid, folder):
            syscalls.kill_pidfd(pidfd)
    finally:
        os.close(pidfd)


def _is_inside(pid: int, folder: str) -> bool:
    try:
        with open(f"/proc/{pid}/cgroup", encoding="utf-8", errors="replace") as file:
            paths = [line.rstrip("\n").partition(":")[2].partition(":")[2] for line in file]
    except OSError:
        return False
    return any(path != "/" and folder.endswith(path) for path in paths)
