"""``barograph explore``: the explorer in a browser."""

from dataclasses import replace
from typing import Annotated

import typer
from rich.text import Text

from barograph.folder import DEFAULT_FOLDER, DataFolder
from ui.cli.config import Config
from ui.cli.options import DirOption
from ui.cli.output import console
from ui.explorer import launch
from ui.explorer.options import Options

HostOption = Annotated[
    str,
    typer.Option("--host", metavar="ADDRESS", help="Listen here; else on this machine only."),
]
PortOption = Annotated[
    int | None,
    typer.Option("--port", metavar="N", min=1, max=65535, help="Port; else 8501 or the next."),
]
WriteOption = Annotated[
    bool, typer.Option("--write", help="Let viewers leave notes and override verdicts.")
]
HeaderOption = Annotated[
    str | None,
    typer.Option(
        "--trust-header", metavar="NAME", help="A header in which a reverse proxy names the viewer."
    ),
]
QuietOption = Annotated[
    bool, typer.Option("--no-browser", help="Do not open a browser; print the address only.")
]


def explore(
    *,
    folder: DirOption = DEFAULT_FOLDER,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
    write: WriteOption = False,
    trust_header: HeaderOption = None,
    no_browser: QuietOption = False,
) -> None:
    """Look at a sweep in a browser, while it runs or after: runs until Ctrl-C.

    Only this machine can reach it unless --host says otherwise; then viewers must give the
    password in the file that BAROGRAPH_EXPLORER_PASSWORD_FILE names, or come through a
    reverse proxy (--trust-header; see docs/explorer.md).
    """
    config = Config.of(folder)
    data = DataFolder.existing(config.folder)
    launch.need_streamlit()
    wanted = Options(folder=str(data.root), host=host, may_write=write, trusted_header=trust_header)
    # Who may look comes first: a host that is refused need not have a port.
    options = replace(launch.checked(wanted), port=launch.free_port(host, port))
    out = console(config)
    out.print(Text(f"The explorer of {config.folder} is at {launch.address(options)}"))
    out.print(Text(f"{reach(options)}; Ctrl-C ends it.", style="dim"))
    out.file.flush()
    if not no_browser and launch.has_browser():
        launch.open_browser_when_ready(options)
    launch.serve(options)


def reach(options: Options) -> str:
    """Who can look, in a clause."""
    words = "may write" if options.may_write else "may only read"
    if options.is_local:
        return f"Only this machine can reach it, and {words}"
    if options.trusted_header is not None:
        return (
            f"Whoever comes with the header {options.trusted_header} can look and {words}: let "
            "nothing but your proxy reach the port"
        )
    return f"Whoever reaches {options.host} and has the password can look and {words}"
