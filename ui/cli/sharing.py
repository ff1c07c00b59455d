"""``--log``: where a data folder's journal is shipped to, and shipping it in the foreground."""

import os

from rich.text import Text

from barograph.errors import BarographError, InputError
from barograph.folder import DataFolder
from barograph.log.kafka.address import SCHEME, Brokers
from barograph.shipping.keeping import share
from store.serving.starting import end
from ui.cli.config import Config
from ui.cli.output import notices


def with_log(config: Config, folder: DataFolder, url: str | None) -> None:
    """Have the folder's journal shipped to a shared log, where one is named.

    A folder remembers its log, so it is named once. That no broker answers is said and no
    reason to wait: what is written meanwhile is in the journal.

    Raises:
        InputError: it is no such address, or the folder is shipped to another log.
        LogError: it cannot be noted.

    """
    if url is None:
        return
    if not url.startswith(f"{SCHEME}:"):
        raise InputError(
            "not a log that can be shared",
            field="--log",
            value=url,
            remedy="write kafka:HOST:PORT; without --log the journal of --dir is the log",
        )
    brokers = Brokers.of(url, os.environ)
    if folder.shared_log_url != brokers.url:
        share(folder, brokers.url)
        end(folder)  # a server that reads the journal alone
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
    with_log(config, folder, url)
    return folder


def _ensure_topic(brokers: Brokers) -> None:
    # Here, so that a missing extra is one sentence like any other.
    from barograph.log.kafka.topics import ensure_topic  # noqa: PLC0415 - see above

    ensure_topic(brokers)
