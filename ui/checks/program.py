"""What was installed, and what this process may use of the machine."""

import importlib.metadata
import importlib.util
import os
import platform
import resource
import sys
from typing import Final

from barograph.units import GIB, format_bytes
from ui.checks.check import Check, fail, ok, warn

_EXTRAS: Final = {
    "store": ("duckdb",),
    "analysis": ("numpy", "scipy", "statsmodels"),
    "explorer": ("streamlit", "altair"),
}
_OLDEST_PYTHON: Final = (3, 11)
_WANTED_FILES: Final = 4096
"""About 20 held files a target; 200 targets are what the collector is built for."""
_LITTLE_MEMORY_BYTES: Final = 2 * GIB


def program_checks() -> list[Check]:
    """Every check of this file."""
    return [_python(), *(_extra(name) for name in _EXTRAS), _open_files(), _machine()]


def _python() -> Check:
    said = f"{platform.python_version()} ({sys.executable})"
    if sys.version_info < _OLDEST_PYTHON:
        return fail("Python", said, "Python 3.11 or newer")
    return ok("Python", said)


def _extra(name: str) -> Check:
    label = f"extra [{name}]"
    missing = [module for module in _EXTRAS[name] if importlib.util.find_spec(module) is None]
    if missing:
        said = f"{', '.join(missing)} not installed: trials run, but questions are not answered"
        return warn(label, said, f"pip install 'barograph[{name}]'")
    versions = (f"{module} {importlib.metadata.version(module)}" for module in _EXTRAS[name])
    return ok(label, ", ".join(versions))


def _open_files() -> Check:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = hard if hard != resource.RLIM_INFINITY else sys.maxsize
    said = f"{soft:,} now, {'no limit' if most == sys.maxsize else f'{most:,}'} at most"
    if most < _WANTED_FILES:
        remedy = f"ulimit -Hn {_WANTED_FILES}, or fewer trials at once (20 files each)"
        return warn("open files", said, remedy)
    return ok("open files", said)


def _machine() -> Check:
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    cores = len(os.sched_getaffinity(0))
    said = f"{cores} core{'' if cores == 1 else 's'}, {format_bytes(total)} of memory"
    if total < _LITTLE_MEMORY_BYTES:
        return warn("machine", said, "few trials at once: the host itself needs room")
    return ok("machine", said)
