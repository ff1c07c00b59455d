"""Servers of stores that a test caused to be started: none outlives its test."""

import contextlib
import json
import os
import socket
import time
from pathlib import Path

from barograph.daemons import is_held, reachable

_SOCKET = "serve.sock"
_WITHIN_S = 60.0


def stop_servers(below: Path) -> None:
    """End the servers of all data folders below a folder, and wait until they have ended."""
    # Whatever else ends just now may still remove folders; ``walk`` does not mind.
    sockets = [Path(at) / _SOCKET for at, _, files in os.walk(below) if _SOCKET in files]
    until_s = time.monotonic() + _WITHIN_S
    for path in sockets:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as link:
            link.settimeout(max(0.1, until_s - time.monotonic()))
            with reachable(path) as address:
                link.connect(address)
            link.sendall(json.dumps({"do": "stop"}).encode() + b"\n")
            link.recv(4096)
    for path in sockets:
        lock = path.with_name("serve.lock")
        while is_held(lock):
            assert time.monotonic() < until_s, (
                f"process {lock.read_text().strip()} serves on: {path}"
            )
            time.sleep(0.01)


def server_pid(folder: Path) -> int | None:
    """Pid of the living server of a data folder."""
    lock = folder / "run" / "serve.lock"
    text = lock.read_text().strip() if is_held(lock) else ""
    return int(text) if text else None
