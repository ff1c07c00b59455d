"""``barograph demo``: the study in miniature, on this machine, with nothing hidden.

It runs a sweep file of ``examples/`` as ``barograph run`` would, then answers as
``barograph report`` would. What differs is the default data folder.
"""

import contextlib
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

import ui
from barograph.folder import DataFolder
from runner.sweeps import load_sweep
from ui.cli.campaigning import complete, conduct, with_concurrency
from ui.cli.config import Config
from ui.cli.options import DEMO_FOLDER, ConcurrencyOption, DirOption, JsonOption, LogOption
from ui.cli.output import console, notices
from ui.cli.report import give_report
from ui.cli.sharing import Sharing, with_log
from ui.errors import NoPackError
from ui.explorer import launch
from ui.explorer.options import Options
from ui.palette import DIM

_PACK: Final = Path(ui.__file__).resolve().parents[1] / "examples"


def demo(
    *,
    folder: DirOption = DEMO_FOLDER,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Seed; else the file's.")
    ] = None,
    concurrency: ConcurrencyOption = None,
    small: Annotated[
        bool, typer.Option("--small", help="24 trials in about 20 seconds instead of 288.")
    ] = False,
    explore: Annotated[
        bool, typer.Option("--explore", help="Open the explorer while the sweep runs.")
    ] = False,
    log: LogOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the reference pack at six memory ceilings and say what they did to the score.

    12 tasks, 6 ceilings, 2 scripted agents, 2 attempts: 288 trials in a few minutes. Needs
    root, because the kernel really kills. Stopped in any way, the same command goes on.
    """
    config = Config.of(folder, as_json=as_json)
    file = _PACK / ("small.toml" if small else "ceilings.toml")
    if not file.is_file():
        raise NoPackError(
            "the reference pack is not there",
            where=file,
            remedy="run the demo from a clone of the repository",
        )
    sweep = with_concurrency(load_sweep(file), concurrency)
    if seed is not None:
        sweep = replace(sweep, seed=seed)
    data = DataFolder.create(config.folder)
    with_log(config, data, Sharing(log=log))
    with _explorer(config, data) if explore else contextlib.nullcontext() as address:
        notices(config).print(f"running {file} into {data.root}")
        complete(conduct(config, sweep, data), "barograph demo")
        give_report(config, data, kind="demo")
        _lead_on(config, address)


@contextmanager
def _explorer(config: Config, data: DataFolder) -> Generator[str]:
    """An explorer beside the sweep, opened in the viewer's browser; gives its address."""
    options = Options(folder=str(data.root), port=launch.free_port("127.0.0.1", None))
    address = launch.address(options)
    with launch.beside(options):
        notices(config).print(Text(f"watch it at {address}"))
        if launch.has_browser():
            launch.open_browser_when_ready(options)
        yield address


def _lead_on(config: Config, address: str | None) -> None:
    """Say where to look; with an open explorer, stay until the user has looked enough."""
    out = notices(config) if config.as_json else console(config)
    if address is None:
        usual = launch.address(Options(folder=str(config.folder)))
        command = f"barograph explore --dir {config.folder}"
        out.print(Text(f"\nLook at it: {command} shows it at {usual}", style=DIM))
        return
    out.print(Text(f"\nThe explorer stays at {address}; Ctrl-C ends it.", style=DIM))
    out.file.flush()
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
