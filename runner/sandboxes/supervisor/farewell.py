"""Ask the collector to read the last counters of a sandbox whose runner has died.

Only the supervisor does this, and only then: it is loaded at that moment, because a codec
and sockets are too much to import for the hundreds of sandboxes whose runner lives.
"""

import json
import os
import socket
from typing import Final, cast

_TIMEOUT_S: Final = 10.0
_REPLY_BYTES: Final = 1 << 16


def finish(collector_socket: str, request: bytes) -> bool:
    """Send one ``finish`` line and wait for the answer.

    Args:
        collector_socket: path of the collector's Unix socket.
        request: a JSON object with its newline.

    Returns:
        Whether the collector says that the final counters are in the log. False where
        there is none, or it does not answer in time.

    """
    folder, name = os.path.split(collector_socket)
    try:
        with _connected(folder, name) as connection:
            connection.settimeout(_TIMEOUT_S)
            connection.sendall(request)
            reply = _line(connection)
        answer = cast("object", json.loads(reply))
    except (OSError, ValueError):
        return False
    return isinstance(answer, dict) and cast("dict[str, object]", answer).get("ok") is True


def _connected(folder: str, name: str) -> socket.socket:
    """Connect through the folder's descriptor: a socket's path must be short, ours may not be."""
    holder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(f"/proc/self/fd/{holder}/{name}")
    except OSError:
        connection.close()
        raise
    finally:
        os.close(holder)
    return connection


def _line(connection: socket.socket) -> bytes:
    received = b""
    while not received.endswith(b"\n") and len(received) < _REPLY_BYTES:
        piece = connection.recv(_REPLY_BYTES)
        if not piece:
            break
        received += piece
    return received
