"""``barograph collect``: watch what something else started, and leave it as it is."""

import select
import time
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

import typer
from rich.live import Live

from analysis.wording import count
from barograph.folder import DEFAULT_FOLDER, DataFolder
from barograph.shipping.keeping import shipped, shipping_of
from collector.attach import foreign
from collector.client import CollectorClient, ensure
from collector.errors import TargetGone, UnknownTargetError, UnreachableError
from collector.protocol import Watch
from ui.cli.config import Config
from ui.cli.follow import Follower
from ui.cli.options import BoundOption, DirOption, JsonOption, KeepOption, LogOption
from ui.cli.output import answer, notices
from ui.cli.sharing import Sharing, with_log
from ui.errors import NoSuchCgroupError
from ui.reports import watching as report
from ui.reports.watching import Seen

_EVERY_S: Final = 0.5
_ANSWER_WITHIN_S: Final = 10.0


def collect(  # noqa: PLR0913 - a command's options
    *,
    cgroup: Annotated[
        list[str] | None,
        typer.Option("--cgroup", metavar="PATH", help="A cgroup to watch; may be given again."),
    ] = None,
    folder: DirOption = DEFAULT_FOLDER,
    reset_peaks: Annotated[
        bool,
        typer.Option(
            "--reset-peaks",
            help="Reset the peak each second: true peaks on cgroup v1, where every other "
            "reader of that file sees the reset.",
        ),
    ] = False,
    for_s: Annotated[
        float | None,
        typer.Option("--for", metavar="SECONDS", min=0, help="End after so long."),
    ] = None,
    log: LogOption = None,
    keep: KeepOption = None,
    bound: BoundOption = None,
    status: Annotated[
        bool,
        typer.Option("--status", help="Say how the collector that runs is, and watch nothing."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Watch this machine, and cgroups on it: memory, peaks, kills, CPU, once a second.

    PATH is a folder below /sys/fs/cgroup, or the path that /proc/PID/cgroup shows. Ends when
    all of them are gone, after --for, or at Ctrl-C, which ends the watching and nothing else.
    What was seen is in the data folder's journal. --status ends with 4 where none answers.
    """
    config = Config.of(folder, as_json=as_json)
    if status:
        _status(config)
        return
    watches = [_watch(path, reset_peaks=reset_peaks) for path in cgroup or []]
    data = DataFolder.create(config.folder)
    with_log(config, data, Sharing(log=log, keep=keep, bound=bound))
    follower, seen = Follower(data, from_now=True), _unseen(watches)
    with shipped(data), ensure(data) as client:
        for watch in watches:
            client.watch(watch)
        until = None if for_s is None else time.monotonic() + for_s
        seen = _follow(config, client, follower, seen, until)
        _finish(client, (one.target for one in seen.values() if not one.ended))
    seen = report.fold(seen, follower.new())
    answer(config, "collect", report.content(seen), report.render(seen))


def _unseen(watches: Sequence[Watch]) -> dict[str, Seen]:
    return {watch.target: Seen(target=watch.target) for watch in watches}


def _watch(path: str, *, reset_peaks: bool) -> Watch:
    try:
        return foreign(path, reset_peaks=reset_peaks)
    except TargetGone as error:
        raise NoSuchCgroupError(
            error.problem, field="--cgroup", value=path, remedy=error.remedy
        ) from error


def _status(config: Config) -> None:
    data = DataFolder.existing(config.folder)
    with CollectorClient(data, within_s=_ANSWER_WITHIN_S) as client:
        found = client.status()
    shipping = shipping_of(data)
    content, shown = report.status_content(found, shipping), report.render_status(found, shipping)
    answer(config, "collect", content, shown)


def _follow(
    config: Config,
    client: CollectorClient,
    follower: Follower,
    seen: dict[str, Seen],
    until: float | None,
) -> dict[str, Seen]:
    said = notices(config)
    if not config.live:
        what = count(len(seen), "cgroup") if seen else "this machine"
        said.print(f"watching {what}; Ctrl-C ends it")
    told = 0
    with Live(console=said, transient=True, auto_refresh=False) as live:
        try:
            while not seen or not all(one.ended for one in seen.values()):
                if until is not None and time.monotonic() >= until:
                    break
                _need_alive(client)
                time.sleep(_EVERY_S)
                seen = report.fold(seen, follower.new())
                if config.live:
                    live.update(report.render(seen), refresh=True)
                else:
                    kills = [kill for one in seen.values() for kill in one.kills]
                    for kill in kills[told:]:
                        said.print(report.kill_line(kill))
                    told = len(kills)
        except KeyboardInterrupt:
            pass  # the way to end it
    return seen


def _need_alive(client: CollectorClient) -> None:
    """Watch no longer than somebody sees anything: whoever started us may start another."""
    if select.select([client], [], [], 0)[0]:
        raise UnreachableError("the collector ended", remedy="run the same command again")


def _finish(client: CollectorClient, targets: Iterable[str]) -> None:
    for target in targets:
        try:
            client.finish(target)
        except UnknownTargetError:
            continue  # it ended by itself in this moment
