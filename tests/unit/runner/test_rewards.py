"""What a verifier left, read as Harbor reads it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.rewards import MOST_REWARD_BYTES, Graded, grade


@pytest.mark.parametrize(
    ("text", "reward"), [(b"1", 1), (b"0.25\n", 0.25), (b" 1e-3 ", 0.001), (b"-2", -2)]
)
def test_a_number_in_reward_txt_is_the_reward(text: bytes, reward: float) -> None:
    assert grade(reward_json=None, reward_txt=text) == Graded(rewards={"reward": reward})


def test_reward_json_wins() -> None:
    graded = grade(reward_json=b'{"reward": 1, "speed": 0.5}', reward_txt=b"0")

    assert graded == Graded(rewards={"reward": 1.0, "speed": 0.5})


def test_a_broken_reward_json_is_not_saved_by_reward_txt() -> None:
    assert grade(reward_json=b"{", reward_txt=b"1").error == "VerifierOutputParseError"


def test_no_file_is_an_error_of_its_own() -> None:
    assert grade(reward_json=None, reward_txt=None).error == "RewardFileNotFoundError"


def test_an_empty_file_is_an_error_of_its_own() -> None:
    assert grade(reward_json=b"", reward_txt=b"1").error == "RewardFileEmptyError"
    assert grade(reward_json=None, reward_txt=b"").error == "RewardFileEmptyError"


@pytest.mark.parametrize(
    "text",
    [b"pass", b"nan", b"inf", b"-inf", b" ", b"1 1", b"\xff", b"1" * (MOST_REWARD_BYTES + 1)],
)
def test_what_is_no_finite_number_cannot_be_parsed(text: bytes) -> None:
    graded = grade(reward_json=None, reward_txt=text)

    assert (graded.error, graded.rewards) == ("VerifierOutputParseError", None)
    assert "reward.txt" in (graded.message or "")


@pytest.mark.parametrize(
    "text",
    [
        b"1",
        b"[]",
        b"{}",
        b"null",
        b'{"reward": "1"}',
        b'{"reward": true}',
        b'{"reward": null}',
        b'{"reward": NaN}',
        b'{"reward": Infinity}',
        b'{"reward": {"a": 1}}',
        b'{"reward": 1' + b"0" * 400 + b"}",
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_what_is_no_flat_object_of_numbers_cannot_be_parsed(text: bytes) -> None:
    graded = grade(reward_json=text, reward_txt=None)

    assert (graded.error, graded.rewards) == ("VerifierOutputParseError", None)
    assert len(graded.message or "") <= 500


@given(
    reward_json=st.none() | st.binary(max_size=40), reward_txt=st.none() | st.binary(max_size=40)
)
def test_there_are_rewards_or_an_error(reward_json: bytes | None, reward_txt: bytes | None) -> None:
    graded = grade(reward_json=reward_json, reward_txt=reward_txt)

    assert (graded.rewards is None) != (graded.error is None)
    assert (graded.message is None) == (graded.error is None)
    assert all(math.isfinite(reward) for reward in (graded.rewards or {}).values())
