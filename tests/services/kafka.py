"""A real Kafka broker of one node, started by the test that wants it, and killed by it.

Its jars come from Maven once a machine (``tests.caching``). The broker prints nothing, for want
of a logger among its jars; that it is ready is seen on its port, and why it is not is in
``output``.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from tests.caching import built_once
from tests.services.network import Network

_POM: Final = Path(__file__).with_name("pom.xml")
_READY_WITHIN_S: Final = 60.0
_HEAP_MB: Final = 384


def jars() -> Path:
    """The folder of the broker's jars, fetched first where it is absent."""
    return built_once("kafka", _POM.read_bytes(), _fetch)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Kafka:
    """One broker that is its own controller. Ends with the block."""

    def __init__(
        self,
        folder: Path,
        *,
        settings: Mapping[str, str] | None = None,
        data: Path | None = None,
        scram: Mapping[str, str] | None = None,
        network: Network | None = None,
    ) -> None:
        """Format its disk; start nothing yet.

        Args:
            folder: for its files.
            settings: of its own, on top of what one node needs.
            data: where its log is; in ``folder`` when None.
            scram: user -> password, for SASL from the first moment.
            network: it lives in; the host's when None.

        """
        self.port, controller = free_port(), free_port()
        self._network = network
        self._host = "127.0.0.1" if network is None else network.address
        self.output = folder / "output"
        self.data = data or folder / "data"
        self._properties = folder / "server.properties"
        folder.mkdir(parents=True, exist_ok=True)
        made = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "listeners": f"PLAINTEXT://{self._host}:{self.port},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://{self.address}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs": str(self.data),
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
            "auto.create.topics.enable": "false",
            "group.initial.rebalance.delay.ms": "0",
        }
        for name, value in (settings or {}).items():
            ours = value.replace("PORT", str(self.port))
            made[name] = ours.replace("127.0.0.1:CONTROLLER", f"127.0.0.1:{controller}")
        self._properties.write_text("".join(f"{name}={value}\n" for name, value in made.items()))
        self._process: subprocess.Popen[bytes] | None = None
        self._format(scram or {})

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.kill()

    @property
    def address(self) -> str:
        """``HOST:PORT``."""
        return f"{self._host}:{self.port}"

    @property
    def url(self) -> str:
        """As ``--log`` wants it."""
        return f"kafka:{self.address}"

    @property
    def pid(self) -> int:
        """Of the living broker."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                [*self._inside(), *_java(), "kafka.Kafka", str(self._properties)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        until_s = time.monotonic() + _READY_WITHIN_S
        while not self._answers():
            assert self._process.poll() is None, self.output.read_text(errors="replace")[-4000:]
            assert time.monotonic() < until_s, "the broker does not answer"
            time.sleep(0.05)

    def kill(self) -> None:
        """``kill -9``, as a machine that dies does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in order."""
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        """It answers nothing any more, and does not know."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """It goes on."""
        os.kill(self.pid, signal.SIGCONT)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(60)
            self._process = None

    def _inside(self) -> list[str]:
        return [] if self._network is None else ["ip", "netns", "exec", self._network.name]

    def _answers(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex((self._host, self.port)) == 0

    def _format(self, scram: Mapping[str, str]) -> None:
        tool = [*_java(), "kafka.tools.StorageTool"]
        cluster = subprocess.run(
            [*tool, "random-uuid"], capture_output=True, text=True, check=True
        ).stdout.split()[-1]
        users = [
            word
            for user, password in scram.items()
            for word in ("--add-scram", f"SCRAM-SHA-512=[name={user},password={password}]")
        ]
        done = subprocess.run(
            [*tool, "format", "-t", cluster, "-c", str(self._properties), *users],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def _java() -> list[str]:
    return [
        *("java", "-Xms128m", f"-Xmx{_HEAP_MB}m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        *("-cp", f"{jars()}/*"),
    ]


def _fetch(folder: Path) -> None:
    """Have Maven copy the jars and all that they need."""
    shutil.copy(_POM, folder.parent / "pom.xml")
    copy = ("dependency:copy-dependencies", f"-DoutputDirectory={folder}", "-DincludeScope=runtime")
    done = subprocess.run(
        ["mvn", "-q", "-B", *copy], cwd=folder.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
