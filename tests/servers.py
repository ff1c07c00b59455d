"""Servers of stores that a test caused to be started: none outlives its test."""

import contextlib
import json
import socket
import time
from pathlib import Path

from barograph.daemons import is_held, reachable

_WITHIN_S = 20.0


def stop_servers(below: Path) -> None:
    """End the servers of all data folders below a folder, and wait until they have ended."""
    sockets = list(below.rglob("run/serve.sock"))
    for path in sockets:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as link:
            link.settimeout(_WITHIN_S)
            with reachable(path) as address:
                link.connect(address)
            link.sendall(json.dumps({"do": "stop"}).encode() + b"\n")
            link.recv(4096)
    until_s = time.monotonic() + _WITHIN_S
    for path in sockets:
        while is_held(path.with_name("serve.lock")) and time.monotonic() < until_s:
            time.sleep(0.01)


def server_pid(folder: Path) -> int | None:
    """Pid of the living server of a data folder."""
    lock = folder / "run" / "serve.lock"
    text = lock.read_text().strip() if is_held(lock) else ""
    return int(text) if text else None
