"""Ending what a test started: within bounds, and if not, with the name of who is to blame.

Whoever waits for the end of a process' output waits for everybody who has inherited it. A test
that waits for ever tells nothing; these say which processes keep a pipe open, or what a process
that was killed is stuck in.
"""

import os
import subprocess
from pathlib import Path
from typing import IO, Final

PATIENCE_S: Final = 60.0
"""A killed process is gone in milliseconds; on a machine that does much else, in seconds."""


def ended(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """Kill a process; what it had said, once nobody has its output open any more."""
    process.kill()
    kept = _pipes(process.stdout, process.stderr)
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise AssertionError(_blame(process, kept)) from None
    return out or "", err or ""


def gone(process: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> int:
    """Kill a process, if it lives; its exit code."""
    process.kill()
    try:
        return process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise AssertionError(_blame(process, set())) from None


def _pipes(*streams: IO[str] | None) -> set[Path]:
    """What the kernel calls them."""
    ours = Path("/proc/self/fd")
    open_ones = [stream for stream in streams if stream is not None and not stream.closed]
    return {(ours / str(stream.fileno())).readlink() for stream in open_ones}


def _blame(process: "subprocess.Popen[str] | subprocess.Popen[bytes]", pipes: set[Path]) -> str:
    """What is known of why it does not end."""
    said = [
        f"{process.args!r} was killed, and is not gone after {PATIENCE_S:g} s:",
        _seen(Path(f"/proc/{process.pid}")),
    ]
    said += [
        f"has its output open: {_seen(folder)}"
        for folder in Path("/proc").glob("[0-9]*")
        if int(folder.name) != os.getpid() and _opens(folder) & pipes
    ]
    return "\n".join(said)


def _opens(folder: Path) -> set[Path]:
    try:
        return {link.readlink() for link in (folder / "fd").iterdir()}
    except OSError:
        return set()


def _seen(folder: Path) -> str:
    """A process as ``/proc`` shows it: pid, state, where in the kernel it waits, command."""
    try:
        state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        waits = (folder / "wchan").read_text()
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return f"{folder.name}: gone"
    return f"{folder.name}: {state} {waits} {command}"
