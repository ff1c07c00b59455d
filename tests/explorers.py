"""The explorer as a program of its own, and clients of it that are no browser.

``explorer`` starts what a user would start and gives its address once the first page has been
computed: a program without byte code compiles for seconds what its first page needs, and what
a test waits for after that should be the page. ``look`` speaks Streamlit's protocol as a
program could that never loads the page, so it also shows what such a program can get.
"""

import os
import select
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from tests.ending import gone

START_S: Final = 120.0
"""Generous: it decides when to give up on a machine that does much else, and nothing else."""
_HEAD_END: Final = b"\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explorer:
    """One that runs."""

    address: str
    port: int
    output: Path
    pid: int

    @property
    def said(self) -> str:
        """What it has printed so far."""
        return self.output.read_text(encoding="utf-8")


def free_port() -> int:
    """One that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def explorer(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Generator[Explorer]:
    """The real program over a folder, warm when the block begins."""
    port = free_port()
    command = [sys.executable, "-m", "ui.cli", "explore", "--no-browser", "--dir", str(folder)]
    with TemporaryFile() as output:
        child = subprocess.Popen(
            [*command, "--port", str(port), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(env or {})},
            cwd=cwd,
        )
        started = Explorer(
            address=f"http://127.0.0.1:{port}",
            port=port,
            output=Path(f"/proc/{os.getpid()}/fd/{output.fileno()}"),
            pid=child.pid,
        )
        try:
            _wait_until_healthy(started, child)
            look(started.address)
            yield started
        finally:
            child.terminate()
            with suppress(subprocess.TimeoutExpired):
                child.wait(START_S)
            gone(child)
            said = started.said
        assert "Traceback" not in said, said


def _wait_until_healthy(started: Explorer, child: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        assert child.poll() is None, f"the explorer ended: {started.said}"
        with suppress(OSError):
            get(f"{started.address}/_stcore/health")
            return
        time.sleep(0.1)
    raise AssertionError("the explorer does not answer")


def get(address: str, *, data: bytes | None = None, **headers: str) -> bytes:
    """The body of an answer, past every proxy that the environment may name."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    asked = urllib.request.Request(address, data=data, headers=headers)  # noqa: S310 - our own address
    with opener.open(asked, timeout=30) as reply:
        return bytes(reply.read())


def look(
    address: str,
    page: str = "",
    *,
    query: str = "",
    headers: Mapping[str, str] | None = None,
    forged: Mapping[str, bool] | None = None,
    name: str | None = None,
    origin: str | None = None,
) -> bytes:
    """All that the server sends to a client that asks for a page over the bare protocol.

    Args:
        address: of the explorer.
        page: its word in the address.
        query: what follows the question mark.
        headers: of the handshake.
        forged: widgets and what the client says they are.
        name: under which the client says that it knows the server; None: as it is.
        origin: the page on which the client says it runs; None: it is no page.

    """
    host, _, port = address.removeprefix("http://").rpartition(":")
    asked = BackMsg()
    asked.rerun_script.query_string = query
    asked.rerun_script.page_name = page
    for widget, value in (forged or {}).items():
        state = asked.rerun_script.widget_states.widgets.add()
        state.id, state.bool_value = widget, value
    got = b""
    with (
        socket.create_connection((host, int(port)), timeout=START_S) as link,
        connect(
            f"ws://{name or host}:{port}/_stcore/stream",
            sock=link,
            subprotocols=["streamlit"],  # type: ignore[list-item] # a new type over str
            additional_headers=headers,
            origin=origin,  # type: ignore[arg-type] # likewise
            proxy=None,
            open_timeout=START_S,
            max_size=None,
        ) as stream,
    ):
        stream.send(asked.SerializeToString())
        while True:
            frame = stream.recv(START_S)
            assert isinstance(frame, bytes)
            got += frame
            if ForwardMsg.FromString(frame).WhichOneof("type") == "script_finished":
                return got


@contextmanager
def proxy(port: int, header: str, value: str) -> Generator[str]:
    """A reverse proxy that says who the viewer is; gives its address.

    It takes one request a connection, drops the header where a client sends it, and sets its
    own. It keeps the name that the client asked for, as docs/explorer.md wants.
    """
    with socket.create_server(("127.0.0.1", 0)) as door:
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                with suppress(OSError):
                    client, _ = door.accept()
                    threading.Thread(
                        target=_pass_on, args=(client, port, header, value), daemon=True
                    ).start()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        over.set()
        door.shutdown(socket.SHUT_RDWR)
        thread.join()


def _pass_on(client: socket.socket, port: int, header: str, value: str) -> None:
    with suppress(OSError), client, socket.create_connection(("127.0.0.1", port)) as server:
        got = b""
        while _HEAD_END not in got:
            more = client.recv(65536)
            if not more:
                return
            got += more
        head, _, rest = got.partition(_HEAD_END)
        lines = head.split(b"\r\n")
        upgrades = any(line.lower().startswith(b"upgrade:") for line in lines)
        dropped = (header.lower().encode() + b":", *(() if upgrades else (b"connection:",)))
        kept = [line for line in lines if not line.lower().startswith(dropped)]
        kept.append(f"{header}: {value}".encode())
        if not upgrades:
            kept.append(b"Connection: close")
        server.sendall(b"\r\n".join(kept) + _HEAD_END + rest)
        _both_ways(client, server)


def _both_ways(client: socket.socket, server: socket.socket) -> None:
    other = {client: server, server: client}
    while True:
        ready, _, _ = select.select([client, server], [], [])
        for side in ready:
            data = side.recv(65536)
            if not data:
                return
            other[side].sendall(data)
