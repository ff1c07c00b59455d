"""What the explorer stands on: the folder's served store.

Until the server is there, a small stand-in opens the file itself.
"""

import threading
from typing import Protocol

from barograph.folder import DataFolder
from store.answers import Answers, Table
from store.database import Database, open_database
from store.reader import Reader


class Store(Answers, Protocol):
    """A store that answers, and says when it changed."""

    def watermark(self) -> int:
        """Grows with every committed change."""
        ...

    def close(self) -> None:
        """Let it go."""
        ...


class _File:
    """An open file, for as long as there is no server."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own = threading.local()

    def ask(self, sql: str) -> Table:
        cursor = getattr(self._own, "cursor", None)
        if not isinstance(cursor, Database):
            cursor = self._own.cursor = self._database.cursor()
        return cursor.ask(sql)

    def watermark(self) -> int:
        return sum(Reader(self).positions().values())

    def close(self) -> None:
        self._database.close()


def connect(folder: DataFolder) -> Store:
    """The store of a data folder."""
    return _File(open_database(folder.store_file))
