"""Start an agent's command under its guard, keep what it prints, end it in time.

The host's environment is full of secrets, and an agent is code that somebody else may
have written: it gets what a program needs to start at all and what the sweep file names,
nothing else.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from runner.agents import guard
from runner.agents.output import BoundedLog
from runner.errors import HelperFailedError

_READ_BYTES: Final = 1 << 16
_LOCALE: Final = ("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TERM", "TZ")
_PLACES: Final = ("HOME", "LOGNAME", "PATH", "SHELL", "TMPDIR", "USER")
_TRUST: Final = ("SSL_CERT_DIR", "SSL_CERT_FILE")
_PASSED_ON: Final = (*_LOCALE, *_PLACES, *_TRUST)
_KILL_WAIT_S: Final = guard.GRACE_S + guard.KILL_FOR_S + 5


def agent_environment(
    host: Mapping[str, str], *, named: Sequence[str], given: Mapping[str, str]
) -> dict[str, str]:
    """What an agent's command finds in its environment.

    Args:
        host: the runner's own environment.
        named: variables that the sweep file passes on; absent ones stay absent.
        given: the runner's own variables (``BAROGRAPH_...``).

    """
    passed = {name: host[name] for name in (*_PASSED_ON, *named) if name in host}
    # ``python3`` is the Python that runs this, so that an agent can import its client.
    path = passed.get("PATH", os.defpath)
    passed["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{path}"
    return {**passed, **given}


class AgentProcess:
    """One running agent. ``end`` may be called from any thread, and twice."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        log: Path,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        """Start it.

        Args:
            command: program and arguments; a relative path is taken from ``cwd``.
            cwd: where it runs.
            env: its whole environment.
            log: file for what it prints, standard output and error together.
            on_end: called, from another thread, when all of it has ended.

        Raises:
            HelperFailedError: not even the guard could be started.

        """
        self._on_end = on_end
        self._log = BoundedLog(log)
        self._lock = threading.Lock()
        read_end, self._control = os.pipe()
        try:
            self._guard = subprocess.Popen(
                [sys.executable, "-I", "-S", guard.__file__, str(read_end), *command],
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[read_end],
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._control)
            raise HelperFailedError(
                f"the agent's guard cannot be started ({error.strerror})", where=cwd
            ) from error
        finally:
            os.close(read_end)
        self._pump = threading.Thread(target=self._read, name="agent-output", daemon=True)
        self._pump.start()

    def wait(self, timeout_s: float | None) -> int | None:
        """The exit code (128 + signal) when it ends in time, else None."""
        try:
            return self._guard.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """Tell the guard that the agent's time is over; returns at once."""
        with self._lock:
            if self._control >= 0:
                os.close(self._control)
                self._control = -1

    def close(self) -> int | None:
        """End whatever still runs, complete the log, and give the exit code."""
        self.end()
        code = self.wait(_KILL_WAIT_S)
        if code is None:  # the guard itself hangs, which nothing we know of can cause
            self._guard.kill()
            code = self.wait(_KILL_WAIT_S)
        self._pump.join(_KILL_WAIT_S)
        self._log.close()
        return code

    def _read(self) -> None:
        stream = self._guard.stdout
        if stream is not None:
            with stream:
                while data := os.read(stream.fileno(), _READ_BYTES):
                    self._log.feed(data)
        self._guard.wait()
        self._on_end()
