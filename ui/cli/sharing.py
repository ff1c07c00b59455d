"""``--log``: where a data folder's journal is shipped to, and shipping it in the foreground."""

import os
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from barograph.errors import BarographError, InputError
from barograph.folder import DataFolder
from barograph.log.kafka.address import SCHEME, Brokers
from barograph.shipping.bounds import Bounds
from barograph.shipping.keeping import share
from barograph.units import parse_bytes
from store.serving.starting import end
from ui.cli.config import Config
from ui.cli.output import notices

_KEEP: Final = "--journal-keep"
_BOUND: Final = "--journal-bound"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """What was asked about the shared log."""

    log: str | None
    keep: str | None = None
    bound: str | None = None


def with_log(config: Config, folder: DataFolder, asked: Sharing) -> None:
    """Have the folder's journal shipped to a shared log, where one is named.

    A folder remembers its log, so it is named once. That no broker answers is said and no
    reason to wait: what is written meanwhile is in the journal.

    Raises:
        InputError: it is no such address, the folder is shipped to another log, or a bound is
            no size.
        LogError: it cannot be noted.

    """
    url = asked.log or folder.shared_log_url
    if url is None:
        _refuse_bounds(asked)
        return
    if asked.log is None and asked.keep is None and asked.bound is None:
        return
    if not url.startswith(f"{SCHEME}:"):
        raise InputError(
            "not a log that can be shared",
            field="--log",
            value=url,
            remedy="write kafka:HOST:PORT; without --log the journal of --dir is the log",
        )
    brokers = Brokers.of(url, os.environ)
    bounds = _bounds(Bounds.of(folder), asked)
    if folder.shared_log_url != brokers.url:
        share(folder, brokers.url, bounds)
        end(folder)  # a server that reads the journal alone
    else:
        share(folder, brokers.url, bounds)
    try:
        _ensure_topic(brokers)
    except BarographError as error:
        notices(config).print(Text(f"{error}; until then events wait in the journal"))


def with_shared_log(config: Config, url: str | None) -> DataFolder:
    """The data folder of a command that reads; with a log, it may be a new one.

    Raises:
        FolderNotFoundError: nothing is there, and no log is named.
        BarographError: as ``with_log``.

    """
    if url is None:
        return DataFolder.existing(config.folder)
    folder = DataFolder.create(config.folder)
    with_log(config, folder, Sharing(log=url))
    return folder


def _bounds(before: Bounds, asked: Sharing) -> Bounds:
    keep, bound = asked.keep, asked.bound
    return Bounds(
        keep_bytes=before.keep_bytes if keep is None else parse_bytes(keep, field=_KEEP),
        bound_bytes=before.bound_bytes if bound is None else parse_bytes(bound, field=_BOUND),
    )


def _refuse_bounds(asked: Sharing) -> None:
    for field, value in ((_KEEP, asked.keep), (_BOUND, asked.bound)):
        if value is not None:
            raise InputError(
                "without a shared log the journal is the only copy, and nothing of it goes",
                field=field,
                value=value,
                remedy="name the log with --log, or leave the bound out",
            )


def _ensure_topic(brokers: Brokers) -> None:
    # Here, so that a missing extra is one sentence like any other.
    from barograph.log.kafka.topics import ensure_topic  # noqa: PLC0415 - see above

    ensure_topic(brokers)
