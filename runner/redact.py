"""Take secrets out of what is recorded, and cut it to a length.

Commands are evidence, and commands carry keys: in assignments, headers, URLs and flags.
The recorder errs towards taking out too much: a lost word in a story costs little, a key
in a journal that is mailed around costs a lot. What is taken out is replaced by a marker
and the digest of the whole command stays, so that equal commands can still be told to be
equal. The text is redacted *before* it is cut, since a secret cut in half is still half a
secret, and no pattern finds it any more.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

MARKER: Final = "[redacted]"

COMMAND_CHARS: Final = 500
"""What is recorded of a command; the rest of a here-document is no evidence."""

_EXAMINED_CHARS: Final = 32 * COMMAND_CHARS
"""Enough for what is recorded even when most of it turns out to be a key; bounds the work."""

_SECRETIVE: Final = (  # how names of secrets end; TOKENS or AUTHOR are no secrets
    r"(?:(?:api|access|secret|private|signing|encryption)[_-]?key|secret|token"
    r"|passw(?:or)?d|passphrase|pwd|credentials?|signature|auth|authorization)\d*"
)
_VALUE: Final = r"""(?:"[^"\n]*"?|'[^'\n]*'?|[^\s"'&;|,})]+)"""

# Ordered: whole blocks first, then by context, then by the shape of known keys. What stands
# before a match is bounded everywhere, so that no text makes the search quadratic.
_PATTERNS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        # A PEM block, or what is left of one at the end of the text.
        (
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
            MARKER,
        ),
        # Authorization: Bearer xyz, also inside quotes of curl -H.
        (r"((?:proxy-)?authorization\s*[:=]\s*)[^\"'\n]+", rf"\1{MARKER}"),
        (r"\b((?:bearer|basic)\s+)[A-Za-z0-9+/=._~-]{8,}", rf"\1{MARKER}"),
        (r"((?:set-)?cookie\s*:\s*)[^\"'\n]+", rf"\1{MARKER}"),
        # scheme://user:password@host
        (r"(\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@\"']{0,100}:)[^\s/@\"']+(@)", rf"\1{MARKER}\2"),
        # NAME=value, "name": "value", x-api-key: value, ?token=value
        (rf"({_SECRETIVE}[\"']?\s*[=:]\s*){_VALUE}", rf"\1{MARKER}"),
        # --token value, -p value of the tools where -p is a password
        (rf"(--?[\w.-]{{0,40}}{_SECRETIVE}\s+)(?!-){_VALUE}", rf"\1{MARKER}"),
        (
            r"(\b(?:sshpass|mysql|mysqldump|mysqladmin)\b[^\n|;&]{0,200}?\s-p\s*)[^\s|;&]+",
            rf"\1{MARKER}",
        ),
        (r"(\bcurl\b[^\n|;&]{0,200}?\s(?:-u|--user)[\s=]+)[^\s|;&]+", rf"\1{MARKER}"),
        # Keys that are known by how they begin.
        (r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}", MARKER),
        (r"\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}", MARKER),
        (r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}", MARKER),
        (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", MARKER),
        (r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{20,}", MARKER),
        (r"\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bpypi-[\w-]{30,}|\bdop_v1_[a-f0-9]{32,}", MARKER),
        (r"\beyJ[\w-]{8,2000}\.[\w-]{8,2000}\.[\w-]*", MARKER),  # JSON web token
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCommand:
    """A command as it may be written down."""

    text: str
    """Redacted, then cut to ``COMMAND_CHARS``."""
    digest: str
    """``sha256:`` and 64 hex digits of the whole command as it ran."""
    truncated: bool


class Redactor:
    """Redacts by pattern and, where they are known, by value."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Remember values that must never be recorded, such as those passed to an agent.

        Values shorter than six characters are not replaced by value: they would take
        ``1`` or ``true`` out of every text.
        """
        known = {value for value in secrets if len(value) >= 6}  # noqa: PLR2004 - said above
        # Longest first, so that no value hides inside another's replacement.
        self._secrets = sorted(known, key=lambda value: (-len(value), value))

    def text(self, text: str) -> str:
        """``text`` without what looks like, or is known to be, a secret."""
        for secret in self._secrets:
            text = text.replace(secret, MARKER)
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        return text

    def command(self, command: str | Sequence[str]) -> RecordedCommand:
        """A command as it may be written down.

        Control characters become spaces or escapes, so that a recorded command is one
        line and cannot play tricks on a terminal.
        """
        whole = command if isinstance(command, str) else " ".join(command)
        digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
        examined = whole
        if len(whole) > _EXAMINED_CHARS:
            # The last word may be half a secret, which no pattern finds.
            examined = whole[:_EXAMINED_CHARS].rstrip().rpartition(" ")[0]
        shown = _printable(self.text(examined))
        return RecordedCommand(
            text=shown[:COMMAND_CHARS],
            digest=f"sha256:{digest}",
            truncated=len(examined) < len(whole) or len(shown) > COMMAND_CHARS,
        )


def _printable(text: str) -> str:
    """Keep newlines as two characters and drop every other control character."""
    text = text.replace("\r\n", "\n").replace("\n", "\\n").replace("\t", " ")
    return "".join(letter if letter.isprintable() else "�" for letter in text)
