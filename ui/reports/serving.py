"""What ``barograph serve`` says once it serves, of the one that does, or has ended who did."""

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.wording import count
from barograph.folder import DataFolder
from store.serving.protocol import ServeStatus
from ui import tables
from ui.palette import DIM


def content(folder: DataFolder, status: ServeStatus) -> dict[str, object]:
    """The same for programs. The token is not in it: it is in a file of the owner's."""
    return {
        "dir": str(folder.root),
        "pid": status.pid,
        "port": status.port,
        "token_file": str(folder.serve_token),
    }


def render(folder: DataFolder, status: ServeStatus) -> RenderableType:
    """Where it is, who may ask, and how it ends."""
    return Group(
        tables.answer(f"Serving {folder.root} on 127.0.0.1, port {status.port}."),
        Text("'barograph' commands and store.connect() find it by themselves."),
        Text("Only this user can ask, and do no more than ask. Ctrl-C ends it.", style=DIM),
    )


def status_content(folder: DataFolder, status: ServeStatus) -> dict[str, object]:
    """Of ``--status``, for programs."""
    return {
        **content(folder, status),
        "since_t_us": status.since_t_us,
        "events": status.events,
        "events_per_s": status.events_per_s,
        "lag_s": status.lag_s,
        "last_error": status.last_error,
        "clients": status.clients,
    }


def render_status(folder: DataFolder, status: ServeStatus) -> RenderableType:
    """Of ``--status``: who serves, and how far the tables may be behind."""
    behind = "nothing is loaded yet"
    if status.lag_s is not None:
        behind = f"tables are at most {status.lag_s:.1f} s behind the log"
    where = f"{folder.root} on port {status.port}"
    lines = [
        tables.answer(f"Process {status.pid} serves {where}: {behind}."),
        Text(f"{count(status.events, 'event')} loaded, {count(status.clients, 'client')}."),
    ]
    if status.last_error is not None:
        lines.append(Text(f"The last load failed: {status.last_error}"))
    return Group(*lines)


def ended_content(folder: DataFolder, ended: ServeStatus | None) -> dict[str, object]:
    """Of ``--stop``, for programs."""
    return {"dir": str(folder.root), "ended_pid": None if ended is None else ended.pid}


def render_ended(folder: DataFolder, ended: ServeStatus | None) -> RenderableType:
    """Of ``--stop``."""
    if ended is None:
        return tables.answer(f"Nobody serves {folder.root}.")
    return tables.answer(f"Process {ended.pid} serves {folder.root} no more.")
