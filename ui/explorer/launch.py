"""Start the explorer: in this process for ``explore``, in a child beside a running sweep.

Streamlit is told everything on its command line, so that neither a configuration file in
the folder where it happens to be started nor one in somebody's home changes what is shown
or who can reach it. It watches no files, sends nothing home, and answers only to names that
are this machine's unless it was told to listen elsewhere (a web page that resolves its own
name to 127.0.0.1 must not read a sweep).
"""

import contextlib
import importlib
import importlib.util
import logging
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ui.errors import NoExplorerError, OpenExplorerError, PortBusyError
from ui.explorer.options import PASSWORD_VARIABLE, VARIABLE, Options, password

APP: Final = Path(__file__).with_name("app.py")
DEFAULT_PORT: Final = 8501
_PORTS: Final = 20
_READY_S: Final = 60.0
_LOOK_S: Final = 0.1
_END_S: Final = 10.0


def checked(options: Options) -> Options:
    """The options with their password file, if they may be started so at all.

    Raises:
        OpenExplorerError: others could reach it and nobody would ask who they are.
        NoPasswordError: there is no password in the file.

    """
    file = os.environ.get(PASSWORD_VARIABLE) or None
    if file is not None:
        password(file)
    if not options.is_local and file is None and options.trusted_header is None:
        raise OpenExplorerError(
            "others could look at this sweep without a password",
            field="--host",
            value=options.host,
            remedy=f"set {PASSWORD_VARIABLE} to a file that holds one, or name the header of "
            "your reverse proxy with --trust-header",
        )
    return Options(
        folder=options.folder,
        host=options.host,
        port=options.port,
        may_write=options.may_write,
        password_file=None if file is None else str(Path(file).resolve()),
        trusted_header=options.trusted_header,
    )


def free_port(host: str, wanted: int | None) -> int:
    """The wanted port, or the first free one from 8501 on.

    Raises:
        PortBusyError: it is taken, or all of them are.

    """
    for port in range(DEFAULT_PORT, DEFAULT_PORT + _PORTS) if wanted is None else [wanted]:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind((host, port))
                return port
    raise PortBusyError(
        "cannot be listened on: it is taken, or not this machine's",
        field="--port",
        value=f"{host}:{wanted}" if wanted else f"{host}:{DEFAULT_PORT} and {_PORTS - 1} more",
        remedy="give another one with --port",
    )


def address(options: Options) -> str:
    """Where a browser on this machine finds it."""
    host = "127.0.0.1" if options.host in {"0.0.0.0", "::"} else options.host  # noqa: S104 - compared with, not bound
    return f"http://{f'[{host}]' if ':' in host else host}:{options.port}"


def serve(options: Options) -> None:
    """Run the explorer in this process until it is interrupted.

    Raises:
        NoExplorerError: Streamlit is not installed.

    """
    need_streamlit()
    from streamlit import net_util  # noqa: PLC0415 - half a second that only this needs
    from streamlit.web import bootstrap  # noqa: PLC0415 - likewise

    # Streamlit imports it when a page is first drawn, and what finds it half imported in the
    # thread of another viewer fails.
    importlib.import_module("pandas")

    # A page of elsewhere that tries to connect would make it ask a service in the net for
    # this machine's address, and wait for the answer.
    net_util.get_external_ip = _unknown

    logging.getLogger("uvicorn.error").addFilter(_is_no_goodbye)
    os.environ[VARIABLE] = options.to_text()
    settings = _settings(options)
    bootstrap.load_config_options(settings)
    bootstrap.prepare_streamlit_environment(str(APP))
    bootstrap.run(str(APP), is_hello=False, args=[], flag_options=settings)


def _is_no_goodbye(record: logging.LogRecord) -> bool:
    """Not the traceback that Streamlit may leave when it ends while somebody looks."""
    error = None if record.exc_info is None else record.exc_info[1]
    return type(error).__name__ != "WebSocketDisconnected"


@contextmanager
def beside(options: Options) -> Generator[None]:
    """An explorer in a child while the block runs; it answers when the block begins.

    Raises:
        NoExplorerError: it did not start.

    """
    need_streamlit()
    command = [sys.executable, "-m", "ui.explorer.launch"]
    child = subprocess.Popen(
        command,
        env={**os.environ, VARIABLE: options.to_text()},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_until_ready(options, child)
        yield
    finally:
        child.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_END_S)
        if child.poll() is None:
            child.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(_END_S)


def open_browser_when_ready(options: Options) -> None:
    """Open the viewer's browser once the explorer answers; a machine without one has none."""

    def wait_and_open() -> None:
        deadline = time.monotonic() + _READY_S
        while time.monotonic() < deadline:
            if is_ready(options):
                with contextlib.suppress(webbrowser.Error):
                    webbrowser.open(address(options))
                return
            time.sleep(_LOOK_S)

    threading.Thread(target=wait_and_open, name="browser", daemon=True).start()


def has_browser() -> bool:
    """Whether this looks like a place where a person has a browser to open."""
    return sys.stdout.isatty() and (
        sys.platform == "darwin" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    )


def is_ready(options: Options) -> bool:
    """Whether it answers; asked directly, whatever proxy the environment names."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{address(options)}/_stcore/health", timeout=2) as reply:
            return bool(reply.status == 200)  # noqa: PLR2004 - HTTP's word for fine
    except (OSError, urllib.error.URLError):
        return False


def need_streamlit() -> None:
    """Say what to install where the explorer's extra is missing."""
    missing = [name for name in ("streamlit", "altair") if importlib.util.find_spec(name) is None]
    if missing:
        raise NoExplorerError(
            f"the explorer needs {' and '.join(missing)}",
            remedy="install Barograph with its 'explorer' extra",
        )


def _wait_until_ready(options: Options, child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline:
        if is_ready(options):
            return
        if child.poll() is not None:
            break
        time.sleep(_LOOK_S)
    raise NoExplorerError(
        "the explorer did not start",
        remedy=f"'barograph explore --dir {options.folder}' shows why",
    )


def _unknown() -> None:
    """This machine's address as others see it."""


def _settings(options: Options) -> dict[str, str | int | bool | list[str]]:
    """Streamlit's options, all that matter, whatever its configuration files say."""
    from ui.explorer.theme import streamlit_options  # noqa: PLC0415 - imports Streamlit

    return {
        "server.address": options.host,
        "server.port": options.port,
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.runOnSave": False,
        "server.showEmailPrompt": False,
        "server.enableStaticServing": False,
        "server.baseUrlPath": "",
        "server.enableAgentApi": False,
        "server.scriptHealthCheckEnabled": False,
        "server.enableCORS": True,
        "server.corsAllowedOrigins": [],
        "server.enableXsrfProtection": True,
        "server.allowedHosts": ["localhost", "127.0.0.1", "[::1]"] if options.is_local else [],
        "browser.gatherUsageStats": False,
        "client.toolbarMode": "viewer",
        "client.showErrorDetails": "none",
        "runner.magicEnabled": False,
        "logger.level": "error",
        "logger.hideWelcomeMessage": True,
        **streamlit_options(),
    }


if __name__ == "__main__":
    serve(Options.from_environment())
