"""A Docker engine of the tests' own, and Compose, in a network of their own.

The engine keeps its images in the cache folder, so that what was built once a machine is there
the next time; one test run at a time has it. Its network is a namespace that the calling thread
enters: published ports, bridges and packet filter rules are its own, touch nobody's, and are
gone with it. Whatever the thread starts meanwhile (a sweep, a browser) is in there too.

Compose is the machine's own where Docker has the plugin, else built from its Go module.
"""

import ctypes
import fcntl
import json
import os
import platform
import shutil
import signal
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self

from tests.caching import built_once, cache_folder

COMPOSE: Final = "github.com/docker/compose/v2@v2.40.3"
PROGRAMS: Final = ("containerd", "docker", "docker-init", "dockerd", "ip", "iptables")
_GO_AT_LEAST: Final = (1, 25)
_CGROUPS: Final = "barograph-test-docker"
_READY_WITHIN_S: Final = 60.0
_ENDS_WITHIN_S: Final = 60.0
_PLUGINS: Final = (
    Path("/usr/libexec/docker/cli-plugins"),
    Path("/usr/local/lib/docker/cli-plugins"),
)
_CLONE_NEWNET: Final = 0x40000000


@contextmanager
def own_network() -> Generator[None]:
    """A network namespace for this thread and what it starts; only loopback is in it."""
    libc = ctypes.CDLL(None, use_errno=True)

    def checked(result: int) -> None:
        if result != 0:
            raise OSError(ctypes.get_errno(), "no network namespace")

    with Path("/proc/thread-self/ns/net").open("rb") as before:
        checked(libc.unshare(_CLONE_NEWNET))
        try:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            yield
        finally:
            checked(libc.setns(before.fileno(), _CLONE_NEWNET))


class Engine:
    """A running ``dockerd``. Ends with the block, and with it every container."""

    def __init__(self, folder: Path, compose: Path) -> None:
        """Start nothing yet.

        Args:
            folder: for its socket and output; not for its images.
            compose: what ``compose`` gives.

        """
        self.output = folder / "dockerd.output"
        self._folder = folder
        self._root = cache_folder() / "docker"
        # Not in the folder: namespaces are mounted there, and outlive an engine that is killed.
        self._state = cache_folder() / "docker.run"
        self._config = folder / "config"
        self._compose = compose
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start it and wait until it answers."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._root.mkdir(parents=True, exist_ok=True)
        self._lock = self._root.with_suffix(".lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._unmount()
        plugins = self._config / "cli-plugins"
        plugins.mkdir(parents=True)
        (plugins / "docker-compose").symlink_to(self._compose)
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                self._command(), stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        until_s = time.monotonic() + _READY_WITHIN_S
        while not self._answers():
            said = self.output.read_text(errors="replace")[-4000:]
            assert self._process.poll() is None, said
            assert time.monotonic() < until_s, said
            time.sleep(0.1)
        self._forget_the_last()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_ENDS_WITHIN_S)
        finally:
            self._process.kill()
            self._process.wait()
            self._unmount()
            self._lock.close()
            for hierarchy in Path("/sys/fs/cgroup").glob(f"*/{_CGROUPS}"):
                with suppress(OSError):
                    hierarchy.rmdir()

    def docker(
        self,
        *words: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: int | None = subprocess.DEVNULL,
        within_s: float = 600.0,
    ) -> str:
        """Run ``docker``; what it printed. It must end well."""
        done = self.ran(*words, cwd=cwd, env=env, stdin=stdin, within_s=within_s)
        said = done.stdout[-4000:] + done.stderr[-4000:]
        assert done.returncode == 0, f"docker {' '.join(words)}\n{said}"
        return done.stdout

    def ran(
        self,
        *words: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: int | None = subprocess.DEVNULL,
        within_s: float = 600.0,
    ) -> "subprocess.CompletedProcess[str]":
        """Run ``docker``, however it ends."""
        return subprocess.run(
            ["docker", *words],
            cwd=cwd,
            # The builder that every engine has: the other is a plugin.
            env={**os.environ, **self._environment, "DOCKER_BUILDKIT": "0", **(env or {})},
            stdin=stdin,
            capture_output=True,
            text=True,
            timeout=within_s,
            check=False,
        )

    def looked_at(self, kind: str, name: str) -> dict[str, Any] | None:
        """What the engine says of a thing; None: there is none."""
        done = self.ran(kind, "inspect", name)
        found: list[dict[str, Any]] = json.loads(done.stdout or "[]")
        return found[0] if found else None

    @property
    def _environment(self) -> dict[str, str]:
        return {
            "DOCKER_HOST": f"unix://{self._folder}/docker.sock",
            "DOCKER_CONFIG": str(self._config),
        }

    def _command(self) -> list[str]:
        return [
            "dockerd",
            *("--host", f"unix://{self._folder}/docker.sock"),
            *("--data-root", str(self._root)),
            *("--exec-root", str(self._state)),
            *("--pidfile", str(self._folder / "pid")),
            # What a build or a container needs of a network is said where it is described.
            *("--bridge", "none"),
            *("--cgroup-parent", _CGROUPS),
            *("--log-level", "warn"),
        ]

    def _forget_the_last(self) -> None:
        """What a test run that was killed left among the images."""
        for container in self.docker("ps", "--all", "--quiet").split():
            self.docker("rm", "--force", "--volumes", container)
        for volume in self.docker("volume", "ls", "--quiet").split():
            self.docker("volume", "rm", volume)
        self.docker("network", "prune", "--force")

    def _unmount(self) -> None:
        for line in Path("/proc/mounts").read_text().splitlines():
            if (place := line.split(" ")[1]).startswith(f"{self._state}/"):
                subprocess.run(["umount", "--lazy", place], check=True)

    def _answers(self) -> bool:
        return self.ran("version").returncode == 0


def compose() -> Path:
    """The program, built first where it is absent: minutes, once a machine.

    Ask before entering a network of one's own, in which nothing can be fetched.
    """
    for folder in _PLUGINS:
        if (folder / "docker-compose").exists():
            return folder / "docker-compose"
    return built_once("compose", COMPOSE.encode(), _build_compose) / "docker-compose"


def _build_compose(folder: Path) -> None:
    """From the module's own folder, whose versions and checksums are then what counts."""
    go = _young_go(folder)
    found = json.loads(_go("mod", "download", "-json", COMPOSE, cwd=folder, program=go))
    source = folder.parent / "source"
    shutil.copytree(found["Dir"], source)
    subprocess.run(["chmod", "-R", "u+w", str(source)], check=True)
    module, _, version = COMPOSE.partition("@")
    named = f"-X {module}/internal.Version={version}"
    program = str(folder / "docker-compose")
    flags = ("-trimpath", "-ldflags", f"-s -w {named}")
    _go("build", *flags, "-o", program, "./cmd", cwd=source, program=go)


def _go(*words: str, cwd: Path, program: str | Path = "go") -> str:
    done = subprocess.run([program, *words], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def _young_go(folder: Path) -> str | Path:
    """A Go that can build Compose: the machine's, or the one that it fetches as a module."""
    said = _go("version", cwd=folder).split()[2].removeprefix("go").split(".")
    if (int(said[0]), int(said[1])) >= _GO_AT_LEAST:
        return "go"
    found = json.loads(_go("mod", "download", "-json", _toolchain(), cwd=folder))
    toolchain = folder.parent / "go"
    shutil.copytree(found["Dir"], toolchain)
    # A module's files cannot be executed as they come.
    subprocess.run(["chmod", "-R", "u+wx", str(toolchain)], check=True)
    return toolchain / "bin" / "go"


def _toolchain() -> str:
    machine = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
    return f"golang.org/toolchain@v0.0.1-go1.25.5.linux-{machine}"
