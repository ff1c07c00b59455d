"""A virtual machine that runs commands, keeps disks, and can lose its power.

Emulated (TCG), never ``/dev/kvm``: what works here works on any host. The host speaks to an
agent in the guest over a virtio port (``guest/agent.py``); several commands may run at once,
and each line of their output bears the host's time of arrival. Arrival is later than the
event in the guest, never earlier, which is the safe direction for every claim of the form
"this had been said before the cut".

What a power cut loses, stated because a test of durability is worth no more than its disk:
``cut_power`` is SIGKILL of qemu, so the guest's memory, and with it every page that its
kernel had not written, is gone. A disk of a test has a volatile write cache as real disks do:
the guest sees one (``cache.no-flush=off``), sends a flush for each fsync, and qemu hands the
flush to the image file. With ``Disk.write_log`` qemu also keeps each write and flush in order
(``writelog.py`` replays them), so that a test can give up everything after the last flush,
as a disk that loses its cache does.
"""

import base64
import contextlib
import json
import queue
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.ending import PATIENCE_S, gone
from tests.vm.image import Image

BOOT_TIMEOUT_S = 180.0
# no_timer_check: on a busy host the emulated timer is late, and the kernel would panic over it.
KERNEL_COMMAND_LINE = "console=ttyS0 quiet psi=1 panic=-1 loglevel=1 no_timer_check"


class MachineError(Exception):
    """The machine did not boot, broke, or its agent reported a fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """A raw disk that outlives the machine."""

    image: Path
    write_log: Path | None = None
    """Where qemu keeps each write and flush, in order; made anew at boot."""

    def arguments(self, number: int) -> list[str]:
        """Options of qemu for the disk as the guest's virtio disk ``number``."""
        cache = "cache.direct=off,cache.no-flush=off"
        file = f"driver=file,node-name=file{number},filename={self.image},{cache}"
        base = f"driver=raw,node-name=disk{number},file=file{number},{cache}"
        nodes, top = [file, base], f"disk{number}"
        if self.write_log is not None:
            self.write_log.write_bytes(b"")
            log = f"driver=file,node-name=log{number},filename={self.write_log}"
            top = f"logged{number}"
            nodes += [
                log,
                f"driver=blklogwrites,node-name={top},file=disk{number},log=log{number},{cache}",
            ]
        options = [word for node in nodes for word in ("-blockdev", node)]
        return [*options, "-device", f"virtio-blk-pci,drive={top},write-cache=on"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line that a command in the guest wrote."""

    arrived_s: float
    """``time.monotonic()`` of the host."""
    stream: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a command in the guest ended."""

    exit_code: int
    timed_out: bool
    stdout: str
    stderr: str


class Running:
    """A command in the guest that has not ended yet."""

    def __init__(self, answers: "queue.Queue[dict[str, Any]]") -> None:
        """Made by ``Machine.start`` only."""
        self._answers = answers
        self.exit: dict[str, Any] | None = None

    def lines(self, timeout_s: float) -> Iterator[Line]:
        """Lines as they arrive, until the command ends, the power goes or time is up."""
        deadline = time.monotonic() + timeout_s
        while self.exit is None:
            try:
                answer = self._answers.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return
            if "exit" in answer:
                self.exit = answer
                return
            stream = "stdout" if "stdout" in answer else "stderr"
            yield Line(arrived_s=answer["arrived_s"], stream=stream, text=answer[stream])


class Machine:
    """One boot of the guest."""

    def __init__(
        self,
        image: Image,
        payload: Path,
        *,
        scratch: Path,
        disks: Sequence[Disk] = (),
        memory_mib: int = 2048,
    ) -> None:
        """Power on. Disks appear in the guest as /dev/vdc, /dev/vdd, ...

        Args:
            image: kernel, initramfs and root, which stays as it is whatever the guest does.
            payload: disk that is mounted at /repo (see ``payload.pack``); writes are lost.
            scratch: folder for what the console and qemu say.
            disks: disks of the test.
            memory_mib: memory of the guest.

        Raises:
            MachineError: no word from the agent within ``BOOT_TIMEOUT_S``.

        """
        self.console_file = scratch / "console.txt"
        self._ids = iter(range(1, 1 << 31))
        self._answers: dict[int, queue.Queue[dict[str, Any]]] = {0: queue.Queue()}
        self._port, guest_end = socket.socketpair()
        command = _command(image, payload, self.console_file, guest_end.fileno())
        for number, disk in enumerate(disks):
            command += disk.arguments(number)
        command += ["-m", str(memory_mib)]
        with guest_end, (scratch / "qemu.txt").open("w") as errors:
            self._qemu = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=[guest_end.fileno()],
            )
        self._receiver = threading.Thread(target=self._receive, daemon=True)
        self._receiver.start()
        try:
            _raise_problem(self._answers[0].get(timeout=BOOT_TIMEOUT_S))
        except (MachineError, queue.Empty):
            self.cut_power()
            said = self.console() + (scratch / "qemu.txt").read_text()
            msg = f"no word from the guest within {BOOT_TIMEOUT_S:.0f} s:\n{said[-2000:]}"
            raise MachineError(msg) from None

    def __enter__(self) -> Self:
        """The machine itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Cut the power: nothing that a test wants kept is kept by a slow goodbye."""
        self.cut_power()

    def start(
        self,
        command: str,
        *,
        timeout_s: float = 60.0,
        env: Mapping[str, str] | None = None,
        cwd: str = "/repo",
    ) -> Running:
        """Start a shell command and return at once."""
        request = {"command": command, "timeout_s": timeout_s, "env": dict(env or {}), "cwd": cwd}
        return Running(self._ask("run", request))

    def run(
        self,
        command: str,
        *,
        timeout_s: float = 60.0,
        env: Mapping[str, str] | None = None,
        cwd: str = "/repo",
    ) -> Ran:
        """Run a shell command to its end (or kill it, with its session, after ``timeout_s``).

        Raises:
            MachineError: the guest did not answer, even a while after the limit.

        """
        running = self.start(command, timeout_s=timeout_s, env=env, cwd=cwd)
        text = {"stdout": "", "stderr": ""}
        for line in running.lines(timeout_s + 30.0):
            text[line.stream] += line.text
        if running.exit is None:
            msg = f"the guest did not answer to: {command}\n{self.console()[-2000:]}"
            raise MachineError(msg)
        _raise_problem(running.exit)
        return Ran(exit_code=running.exit["exit"], timed_out=running.exit["timed_out"], **text)

    def put(self, path: str, data: bytes) -> None:
        """Write a file in the guest, making its folders."""
        self._transfer("put", {"path": path, "data": base64.b64encode(data).decode()})

    def get(self, path: str) -> bytes:
        """Read a whole file of the guest."""
        return base64.b64decode(self._transfer("get", {"path": path})["data"])

    def cut_power(self) -> float:
        """SIGKILL qemu; returns the host's monotonic time just before. Idempotent."""
        moment = time.monotonic()
        gone(self._qemu)
        self._receiver.join(PATIENCE_S)
        if self._receiver.is_alive():
            raise MachineError("somebody else has the port of a machine that is off")
        self._port.close()
        return moment

    def console(self) -> str:
        """What the guest's kernel and init said."""
        return self.console_file.read_text(errors="replace") if self.console_file.exists() else ""

    def _transfer(self, do: str, request: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = self._ask(do, request).get(timeout=60.0)
        except queue.Empty:
            msg = f"the guest did not answer to: {do} {request['path']}"
            raise MachineError(msg) from None
        _raise_problem(answer)
        return answer

    def _ask(self, do: str, request: dict[str, Any]) -> "queue.Queue[dict[str, Any]]":
        ident = next(self._ids)
        self._answers[ident] = queue.Queue()
        self._port.sendall(json.dumps({"id": ident, "do": do} | request).encode() + b"\n")
        return self._answers[ident]

    def _receive(self) -> None:
        rest = b""
        with contextlib.suppress(ConnectionResetError):
            while chunk := self._port.recv(1 << 16):
                now = time.monotonic()
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    answer = json.loads(line)
                    self._answers[answer["id"]].put(answer | {"arrived_s": now})
        for answers in list(self._answers.values()):
            answers.put({"exit": None, "problem": "the machine is off"})


def _raise_problem(answer: Mapping[str, Any]) -> None:
    if "problem" in answer:
        msg = f"the guest's agent failed: {answer['problem']}"
        raise MachineError(msg)


def _command(image: Image, payload: Path, console: Path, agent_fd: int) -> list[str]:
    lossy = "if=none,format=raw,snapshot=on"  # writes go to a temporary file
    return [
        # However this process ends, the machine ends with it.
        *("setpriv", "--pdeathsig", "KILL"),
        # One core, emulated by one thread: with more, qemu's emulation of page tables races and
        # a guest panics now and then on a busy host. Four page levels: walks are emulated too.
        *("qemu-system-x86_64", "-machine", "q35", "-cpu", "max,la57=off"),
        *("-accel", "tcg,thread=single,tb-size=512"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-kernel", str(image.kernel), "-initrd", str(image.initramfs)),
        *("-append", KERNEL_COMMAND_LINE),
        *("-serial", f"file:{console}"),
        *("-drive", f"id=root,file={image.root},{lossy}"),
        *("-drive", f"id=payload,file={payload},{lossy}"),
        # In this order they are /dev/vda and /dev/vdb, and the tests' disks follow.
        *("-device", "virtio-blk-pci,drive=root"),
        *("-device", "virtio-blk-pci,drive=payload"),
        *("-device", "virtio-serial-pci"),
        *("-chardev", f"socket,id=agent,fd={agent_fd}"),
        *("-device", "virtserialport,chardev=agent,name=barograph.agent"),
    ]
