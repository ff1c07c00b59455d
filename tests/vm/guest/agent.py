"""Runs in the guest: carries out what the host asks for over a virtio port.

One JSON object a line each way. A request is ``{"id", "do": "run" | "put" | "get", ...}``;
the answers to a run are one ``{"id", "stdout" | "stderr": text}`` for each line, as soon as
it is there, and at last ``{"id", "exit": code}``. Each request has a thread, so a test can
look at the machine while another command runs. Only the standard library: this file is the
one thing in the guest that must work before anything under test does.
"""

import base64
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

PORTS = Path("/sys/class/virtio-ports")
PORT_NAME = "barograph.agent"


class Agent:
    """The guest's end of the port."""

    def __init__(self, port: int) -> None:
        """Take an open descriptor of the port."""
        self._port = port
        self._lock = threading.Lock()

    def say(self, answer: dict[str, Any]) -> None:
        """Send one answer; whole lines never interleave."""
        line = json.dumps(answer).encode() + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self._port, line) :]

    def serve(self) -> None:
        """Read requests until the port breaks."""
        rest = b""
        while chunk := os.read(self._port, 1 << 16):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                threading.Thread(target=self._answer, args=(json.loads(line),)).start()

    def _answer(self, request: dict[str, Any]) -> None:
        try:
            self.say({"id": request["id"]} | getattr(self, "_" + request["do"])(request))
        except Exception as problem:  # noqa: BLE001 - whatever it is, the host must hear of it
            self.say({"id": request["id"], "exit": None, "problem": repr(problem)})

    def _put(self, request: dict[str, Any]) -> dict[str, Any]:
        path = Path(request["path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(request["data"]))
        return {"exit": 0}

    def _get(self, request: dict[str, Any]) -> dict[str, Any]:
        data = Path(request["path"]).read_bytes()
        return {"exit": 0, "data": base64.b64encode(data).decode()}

    def _run(self, request: dict[str, Any]) -> dict[str, Any]:
        process = subprocess.Popen(
            ["/bin/sh", "-c", request["command"]],
            cwd=request["cwd"],
            env=os.environ | request["env"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        readers = [
            threading.Thread(target=self._forward, args=(request["id"], name, stream))
            for name, stream in (("stdout", process.stdout), ("stderr", process.stderr))
        ]
        for reader in readers:
            reader.start()
        timed_out = False
        try:
            process.wait(request["timeout_s"])
        except subprocess.TimeoutExpired:
            timed_out = True
            os.killpg(process.pid, 9)
            process.wait()
        for reader in readers:
            reader.join(1.0)  # an orphan may hold the pipe open: its words are not waited for
        return {"exit": process.returncode, "timed_out": timed_out}

    def _forward(self, ident: int, name: str, stream: IO[bytes]) -> None:
        for line in stream:
            self.say({"id": ident, name: line.decode(errors="replace")})


def find_port() -> str:
    """Path of the port with our name."""
    for folder in PORTS.iterdir():
        if (folder / "name").read_text().strip() == PORT_NAME:
            return f"/dev/{folder.name}"
    sys.exit(f"no virtio port is called {PORT_NAME}")


if __name__ == "__main__":
    agent = Agent(os.open(find_port(), os.O_RDWR))
    agent.say({"id": 0, "exit": 0})
    agent.serve()
