"""Names of things: random where they are drawn once, hashed where they must be found again.

A trial's id is a hash of what the trial *is*, so that a campaign that resumes, an
importer and a reader of the plan all arrive at the same id without asking each other.
"""

import base64
import hashlib
import json
import secrets
from typing import Final

_RANDOM_CHARS: Final = 11
_TRIAL_CHARS: Final = 12


def _random(chars: int) -> str:
    return base64.b32encode(secrets.token_bytes(chars)).decode().lower()[:chars]


def new_source(kind: str) -> str:
    """Draw the id of a writer incarnation: ``kind`` (one letter) and 55 random bits."""
    return kind + _random(_RANDOM_CHARS)


def new_sweep() -> str:
    """Draw a sweep id; written with ``sweep.planned`` and found again in the log."""
    return "s" + _random(_RANDOM_CHARS - 2)


def trial_id(*, sweep: str, condition: str, agent: str, task: str, attempt: int) -> str:
    """Hash what a trial is to 12 hexadecimal characters; opaque, stable for ever."""
    identity = json.dumps([sweep, condition, agent, task, attempt], ensure_ascii=False)
    return hashlib.sha256(identity.encode()).hexdigest()[:_TRIAL_CHARS]
