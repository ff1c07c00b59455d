"""How large a shipped journal may be; kept in the folder, so that every shipper knows."""

from dataclasses import dataclass
from typing import Final, Self

from barograph.folder import DataFolder, FolderRefusal

KEEP_BYTES: Final = 4 << 30
BOUND_BYTES: Final = 16 << 30
"""At 1,000 samples a second, half a day without a broker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """See ``upkeep`` for what happens at each."""

    keep_bytes: int = KEEP_BYTES
    """Of files that are acknowledged whole."""
    bound_bytes: int = BOUND_BYTES
    """Of what waits to be acknowledged."""

    @classmethod
    def of(cls, folder: DataFolder) -> Self:
        """As the folder remembers them behind its log's address; else the defaults.

        Raises:
            FolderRefusal: the file cannot be read, or is not what Barograph wrote.

        """
        try:
            rows = folder.shared_log.read_text(encoding="utf-8").splitlines()[1:]
        except FileNotFoundError:
            return cls()
        except (OSError, UnicodeDecodeError) as error:
            raise FolderRefusal(
                "the name of the log cannot be read", where=folder.shared_log
            ) from error
        found = dict(row.split(maxsplit=1) for row in rows if row.count(" ") == 1)
        if any(not value.isascii() or not value.isdigit() for value in found.values()):
            raise FolderRefusal(
                "the bounds of the journal are not numbers of bytes",
                where=folder.shared_log,
                remedy="name the log again with --log, and the bounds",
            )
        return cls(
            keep_bytes=int(found.get("keep", KEEP_BYTES)),
            bound_bytes=int(found.get("bound", BOUND_BYTES)),
        )
