"""What a verifier left, read as Harbor reads it: rewards, or why there are none.

``reward.json`` (a flat object of finite numbers) wins over ``reward.txt`` (one number,
kept under the key ``reward``), and the exit code of ``test.sh`` means nothing. A verifier
that leaves nothing usable has failed itself, which is another thing than a reward of 0;
the failure's type keeps Harbor's name, so that verdicts read the same for both.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from runner.fields import as_mapping

VerifierError = Literal[
    "RewardFileNotFoundError",
    "RewardFileEmptyError",
    "VerifierOutputParseError",
    "VerifierTimeoutError",
]

MOST_REWARD_BYTES: Final = 1 << 20
"""More than any set of rewards; what is larger was not meant as one."""

REWARD_KEY: Final = "reward"


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """Rewards, or the verifier's failure; exactly one of the two."""

    rewards: Mapping[str, float] | None = None
    error: VerifierError | None = None
    message: str | None = None
    """A sentence for the error."""


def grade(*, reward_json: bytes | None, reward_txt: bytes | None) -> Graded:
    """Read the contents of the two files a verifier may write.

    Args:
        reward_json: content of ``/logs/verifier/reward.json``; None: not there.
        reward_txt: content of ``/logs/verifier/reward.txt``; None: not there.

    """
    if reward_json is not None:
        return _read("reward.json", reward_json)
    if reward_txt is not None:
        return _read("reward.txt", reward_txt)
    return Graded(
        error="RewardFileNotFoundError",
        message="the verifier wrote neither reward.json nor reward.txt to /logs/verifier",
    )


def _read(name: str, content: bytes) -> Graded:
    if not content:
        return Graded(error="RewardFileEmptyError", message=f"{name} is empty")
    if len(content) > MOST_REWARD_BYTES:
        return _unusable(name, f"is larger than {MOST_REWARD_BYTES} bytes")
    try:
        text = content.decode()
        return _from_json(name, text) if name.endswith(".json") else _from_text(name, text)
    except RecursionError:
        return _unusable(name, "is nested too deeply")
    except ValueError as error:  # not UTF-8, not JSON, not a number
        return _unusable(name, f"cannot be read ({error})")


def _from_text(name: str, text: str) -> Graded:
    reward = float(text)
    if not math.isfinite(reward):
        return _unusable(name, f"holds {reward}, which is not finite")
    return Graded(rewards={REWARD_KEY: reward})


def _from_json(name: str, text: str) -> Graded:
    values = as_mapping(json.loads(text))
    if not values:
        return _unusable(name, "is not an object with at least one number in it")
    rewards: dict[str, float] = {}
    for key, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return _unusable(name, f"holds no number under {key[:60]!r}")
        try:
            rewards[key] = float(value)
        except OverflowError:
            return _unusable(name, f"holds too large a number under {key[:60]!r}")
        if not math.isfinite(rewards[key]):
            return _unusable(name, f"holds a number that is not finite under {key[:60]!r}")
    return Graded(rewards=rewards)


def _unusable(name: str, why: str) -> Graded:
    return Graded(error="VerifierOutputParseError", message=f"{name} {why}"[:500])
