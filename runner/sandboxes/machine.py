"""What of this machine a sandbox is made of: programs, Python, name resolution, cores.

The local driver uses no images: a task sees the host's ``/usr`` and ``/etc``, read-only, and
as ``python3`` the very interpreter that runs this project, with its standard library and
nothing else: neither the project's virtual environment nor what was installed beside the
interpreter, which would load itself into every start (40 ms and megabytes, on one of the
machines tried) without being part of any task. That makes a sandbox cheap and a trial
repeatable on one machine, and it is why results say ``host_files``: another machine has
other files.
"""

import os
import site
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runner.sandboxes.errors import SandboxRefusal

_TOPS: Final = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc")
_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_RESOLVER: Final = Path("/etc/resolv.conf")
_PYTHON_LINKS: Final = "/opt/barograph/bin"
"""Where ``python3`` points to the right interpreter if its own folder has another one."""
_CPUS: Final = "/sys/devices/system/cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFiles:
    """What is shown inside, and where."""

    binds: dict[str, str]
    """Host folder -> inside folder, read-only with all below it."""
    links: dict[str, str]
    """Inside path -> what the symbolic link there says."""
    hidden: list[str]
    """Inside folders that shall look empty."""
    files: dict[str, str]
    """Inside path -> contents."""
    environment: dict[str, str]
    """Variables of every command; nothing else of the host's comes in."""


def host_files(root: Path = Path("/")) -> HostFiles:
    """Look at the machine; cheap enough to do once a campaign.

    Args:
        root: another root than the machine's, for tests.

    """
    binds: dict[str, str] = {}
    links: dict[str, str] = {}
    for top in _TOPS:
        path = root / top
        if path.is_symlink():
            links[f"/{top}"] = str(path.readlink())
        elif path.is_dir():
            binds[str(path)] = f"/{top}"
    prefix = os.path.realpath(sys.base_prefix)
    if not _covered(prefix, binds):
        binds[prefix] = prefix
    folders = [str(Path(prefix) / "bin")]
    python = Path(os.path.realpath(sys.executable))
    if Path(os.path.realpath(Path(prefix) / "bin" / "python3")) != python:
        links |= {f"{_PYTHON_LINKS}/{name}": str(python) for name in ("python3", "python")}
        folders.insert(0, _PYTHON_LINKS)
    if Path(_CPUS).is_dir():
        binds[_CPUS] = _CPUS
    return HostFiles(
        binds=binds,
        links=links,
        hidden=[path for path in site.getsitepackages([prefix]) if Path(path).is_dir()],
        files=_resolver(binds),
        environment=_environment(folders),
    )


def _environment(python_folders: list[str]) -> dict[str, str]:
    return {
        "PATH": ":".join([*python_folders, _PATH]),
        "HOME": "/root",
        "USER": "root",
        "LOGNAME": "root",
        "LANG": "C.UTF-8",
        # Uid 0 without powers cannot give files away, which GNU tar tries as uid 0.
        "TAR_OPTIONS": "--no-same-owner",
    }


def _resolver(binds: dict[str, str]) -> dict[str, str]:
    """The resolver's file, where ``/etc/resolv.conf`` links to a place that is not shown."""
    real = os.path.realpath(_RESOLVER)
    if _covered(real, binds) or not Path(real).is_file():
        return {}
    return {real: Path(real).read_text(encoding="utf-8", errors="replace")}


def _covered(path: str, binds: dict[str, str]) -> bool:
    return any(Path(path).is_relative_to(bind) for bind in binds)


def refuse_if_shown(path: Path, files: HostFiles) -> None:
    """Check that a path of ours lies in no folder that tasks can see.

    Raises:
        SandboxRefusal: it does.

    """
    real = os.path.realpath(path)
    for bind in files.binds:
        if Path(real).is_relative_to(bind):
            raise SandboxRefusal(
                f"tasks could look into this folder, because they see {bind}",
                where=path,
                field="--dir",
                remedy="give a data folder elsewhere, for instance below /var/tmp or a home",
            )


def memory_bytes() -> int:
    """The machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def cpu_model() -> str | None:
    """The processor's name as the kernel tells it; None where it does not."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in {"model name", "Model", "cpu model"}:
            return value.strip() or None
    return None
