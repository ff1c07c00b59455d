"""``barograph serve``: be the one process that has the store open, and let others ask it."""

import os
import sys
from typing import Annotated

import typer
from rich.text import Text

from analysis.judging import judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.errors import BarographError
from barograph.facts import PEOPLES_TYPES, LogPruned
from barograph.folder import DEFAULT_FOLDER, DataFolder
from store.database import Settings
from store.errors import ServedError, UnreachableError
from store.judging import follower
from store.serving.answering import Limits
from store.serving.hosted import Options
from store.serving.protocol import ServeStatus, encode
from store.serving.server import serve as serve_store
from store.serving.server import without_pandas
from store.serving.starting import end, find
from store.serving.wording import told
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption, LogOption
from ui.cli.output import answer, notices
from ui.cli.sharing import with_shared_log
from ui.reports import serving as report


def serve(  # noqa: PLR0913 - a command's options
    *,
    folder: DirOption = DEFAULT_FOLDER,
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="N", min=0, max=65535, help="Port on 127.0.0.1; 0: one that is free."
        ),
    ] = 0,
    idle_s: Annotated[
        float | None,
        typer.Option("--idle-s", metavar="SECONDS", min=1, help="End after so long unasked."),
    ] = None,
    query_limit_s: Annotated[
        float,
        typer.Option("--query-limit-s", metavar="SECONDS", min=0.1, help="End a longer question."),
    ] = Limits().query_s,
    memory: Annotated[
        str,
        typer.Option("--memory", metavar="SIZE", help="Most memory, as 512MiB or 4GiB."),
    ] = Settings().memory_limit,
    log: LogOption = None,
    standby: Annotated[
        bool,
        typer.Option("--standby", help="Where another serves: wait, and serve when it ends."),
    ] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="End the server that runs, and serve nothing.")
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Say how the server that runs is, and serve nothing.")
    ] = False,
    follow: Annotated[bool, typer.Option("--follow/--no-follow", hidden=True)] = True,
    ready_fd: Annotated[int | None, typer.Option("--ready-fd", hidden=True)] = None,
    as_json: JsonOption = False,
) -> None:
    """Keep the store loaded and let commands, the explorer and notebooks ask it.

    Nobody has to run this: whatever needs the store starts a server that ends by itself when
    it is idle. Only its owner can reach it, on this machine, and can do no more than ask. Ends
    at Ctrl-C, SIGTERM or --stop. With --status it ends with 4 where no server answers.
    """
    config = Config.of(folder, as_json=as_json)
    if stop or status:
        (_stop if stop else _status)(config)
        return
    limits, settings = Limits(query_s=query_limit_s), Settings(memory_limit=memory)
    options = Options(port=port, limits=limits, settings=settings, follow=follow, idle_s=idle_s)
    _serve(config, log, options, ready_fd, standby=standby)


def _stop(config: Config) -> None:
    data = DataFolder.existing(config.folder)
    ended = end(data)
    answer(config, "serve", report.ended_content(data, ended), report.render_ended(data, ended))


def _status(config: Config) -> None:
    data = DataFolder.existing(config.folder)
    found = find(data)
    if found is None:
        raise UnreachableError(
            "no server answers",
            where=data.root,
            remedy="whatever needs one starts it; 'barograph serve' is one that stays",
        )
    answer(config, "serve", report.status_content(data, found), report.render_status(data, found))


def _serve(
    config: Config, log: str | None, options: Options, ready_fd: int | None, *, standby: bool
) -> None:
    starter = _Starter(ready_fd)

    def ready(status: ServeStatus) -> None:
        if ready_fd is None:
            where = DataFolder.existing(config.folder)
            answer(config, "serve", report.content(where, status), report.render(where, status))
            sys.stdout.flush()  # it runs on, and whoever reads a pipe waits for this
        else:
            starter.tell({"ok": True})

    def wait(held: ServedError) -> None:
        notices(config).print(Text(f"standing by: {held.problem}"))

    without_pandas()
    try:
        data = with_shared_log(config, log)
        judge = follower(judging_policy(policy_v1()))
        serve_store(
            data,
            options,
            follower=judge,
            writable=(*PEOPLES_TYPES, LogPruned.type),
            standby=wait if standby else None,
            ready=ready,
        )
    except BarographError as error:
        starter.tell({"ok": False, "error": told(error)})
        raise


class _Starter:
    """Whoever started this process, waiting at a descriptor to hear once what became of it.

    Once: afterwards the number belongs to whatever is opened next, which can be the store.
    """

    def __init__(self, fd: int | None) -> None:
        """None: nobody waits."""
        self._fd = fd

    def tell(self, words: dict[str, object]) -> None:
        """Say it, if it was not said before."""
        fd, self._fd = self._fd, None
        if fd is None:
            return
        try:
            os.write(fd, encode(words))
        except OSError:
            pass  # the starter has gone
        finally:
            os.close(fd)
