"""Messages between the driver and a supervisor: length, then a ``marshal`` of plain values.

Both ends are the same code under the same Python, started one from the other, so the
format need not be told to anybody. ``marshal`` is built into the interpreter and carries
bytes as they are: a supervisor starts without importing a codec, and a command's binary
output needs no escaping. Nothing that a sandboxed process wrote is ever parsed here
except as the inside of a ``bytes`` value. Lists travel as one text with NUL between the
items, which no argument, variable or path can hold.
"""

from __future__ import annotations

import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Value = str | bytes | int | float | None
Message = dict[str, Value]

_BETWEEN = "\0"
_LENGTH_BYTES = 4
_LARGEST = 64 << 20


class WireError(ValueError):
    """The other end said something that no version of this code says: a bug."""


def pack(message: Message) -> bytes:
    """Frame one message."""
    body = marshal.dumps(message)
    return len(body).to_bytes(_LENGTH_BYTES, "little") + body


class Inbox:
    """Puts frames together from whatever pieces the socket gives."""

    def __init__(self) -> None:
        """Begin with nothing received."""
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Take in ``data`` and return the messages that it completed.

        Raises:
            WireError: a frame is no message.

        """
        self._buffer += data
        messages: list[Message] = []
        while len(self._buffer) >= _LENGTH_BYTES:
            length = int.from_bytes(self._buffer[:_LENGTH_BYTES], "little")
            if length > _LARGEST:
                raise WireError(f"frame of {length} bytes")
            end = _LENGTH_BYTES + length
            if len(self._buffer) < end:
                break
            messages.append(_message(bytes(self._buffer[_LENGTH_BYTES:end])))
            del self._buffer[:end]
        return messages


def _message(body: bytes) -> Message:
    value: Message = marshal.loads(body)  # noqa: S302 - both ends are ours, see above
    if type(value) is not dict:
        raise WireError(f"frame of a {type(value).__name__}")
    return value


def joined(items: Iterable[str]) -> str:
    """A list as one value of a message; ``texts`` takes it apart."""
    return _BETWEEN.join(items)


def text(message: Message, key: str) -> str:
    """A text that must be there."""
    value = message.get(key)
    if isinstance(value, str):
        return value
    raise WireError(f"{key} is {value!r}, not a text")


def raw(message: Message, key: str) -> bytes:
    """Bytes that must be there."""
    value = message.get(key)
    if isinstance(value, bytes):
        return value
    raise WireError(f"{key} is {value!r}, not bytes")


def whole(message: Message, key: str) -> int:
    """A whole number that must be there."""
    value = message.get(key)
    if isinstance(value, int):
        return value
    raise WireError(f"{key} is {value!r}, not a whole number")


def optional_whole(message: Message, key: str) -> int | None:
    """A whole number, or None where it is missing."""
    return None if message.get(key) is None else whole(message, key)


def optional_real(message: Message, key: str) -> float | None:
    """A number, or None where it is missing."""
    value = message.get(key)
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return float(value)
    raise WireError(f"{key} is {value!r}, not a number")


def texts(message: Message, key: str) -> list[str]:
    """The items of a ``joined`` value that must be there; none where it is empty."""
    value = text(message, key)
    return value.split(_BETWEEN) if value else []


def joined_pairs(items: Mapping[str, str]) -> str:
    """A dictionary as one value of a message; ``pairs`` takes it apart."""
    return joined(part for item in items.items() for part in item)


def pairs(message: Message, key: str) -> list[tuple[str, str]]:
    """Names and values of a ``joined_pairs`` value that must be there."""
    parts = texts(message, key)
    return list(zip(parts[::2], parts[1::2], strict=True))
