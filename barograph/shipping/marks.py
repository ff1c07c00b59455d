"""How far a topic has acknowledged a journal: a small file beside it.

It is replaced whole, and only ever behind the truth: a shipper that reads an old one sends again
what was acknowledged since, which costs time and is dropped where it arrives. A file that
cannot be read, or that speaks of another topic, is as good as none.
"""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, Self, cast

from barograph.log.port import LogError

_VERSION: Final = 1


@dataclass(slots=True, kw_only=True)
class Marks:
    """What a shipper knows, also for those who ask how it goes."""

    topic: str
    """Identity of the topic, given by its cluster."""
    log: str
    """Its address, without anything secret."""
    acknowledged: dict[str, int] = field(default_factory=dict[str, int])
    """Stream -> bytes."""
    complete_t_us: int | None = None
    """Wall time at which everything that was in the journal was acknowledged."""
    failures: int = 0
    """Since the shipper began."""
    error: str | None = None
    """Why it does not go on, while it does not."""

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """What the file says; None: nothing that can be used."""
        try:
            found: object = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(found, dict):
            return None
        said = cast("dict[str, object]", found)
        if said.pop("v", None) != _VERSION or not _is_right(said):
            return None
        try:
            return cls(**said)  # type: ignore[arg-type] # each was looked at
        except TypeError:
            return None

    def write(self, file: Path) -> None:
        """Replace the file.

        Raises:
            LogError: it cannot be written.

        """
        half = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            half.write_text(json.dumps({"v": _VERSION, **asdict(self)}) + "\n", encoding="utf-8")
            half.replace(file)
        except OSError as error:
            half.unlink(missing_ok=True)
            raise LogError(
                f"cannot note what was acknowledged ({error.strerror})", where=file
            ) from error


def _is_right(said: dict[str, object]) -> bool:
    marks = said.get("acknowledged")
    if not isinstance(marks, dict):
        return False
    offsets = cast("dict[object, object]", marks)
    numbers = [*offsets.values(), said.get("complete_t_us") or 0, said.get("failures")]
    texts = [said.get("topic"), said.get("log"), said.get("error") or ""]
    return all(isinstance(text, str) for text in texts) and all(
        type(number) is int and number >= 0 for number in numbers
    )
