"""Numbers and times as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui import text

_T_US = 1_795_991_465_250_000


def test_times_name_their_zone() -> None:
    assert text.moment(_T_US) == "2026-11-29 22:31:05 UTC"
    assert text.clock_time(_T_US) == "22:31:05.2"
    assert text.day(_T_US) == "2026-11-29"


@pytest.mark.parametrize("write", [text.moment, text.clock_time, text.day])
def test_an_unknown_time_is_a_dash(write: object) -> None:
    assert callable(write)
    assert write(None) == "–"


def test_ago_and_after() -> None:
    assert text.ago(5_000_000, 1_800_000) == "3.2 s ago"
    assert text.ago(0, 2_000_000) == "in 2.0 s"
    assert text.after(5_300_000, 0) == "+5.3 s"
    assert text.after(None, 0) == "–"


def test_shares_survive_an_empty_whole() -> None:
    assert text.share(12, 288) == "12 of 288 (4.2%)"
    assert text.share(0, 0) == "0 of 0"


def test_signed_numbers_have_a_real_minus_and_no_signed_zero() -> None:
    assert [text.signed(x) for x in (4.2, -4.2, -0.04)] == ["+4.2", "−4.2", "0.0"]


def test_mebibytes() -> None:
    mib = 1 << 20
    assert [text.mebibytes(x * mib) for x in (64, 61.5, 1024, 130.4)] == [
        "64",
        "61.5",
        "1,024",
        "130",
    ]
    assert text.mebibytes(None) == "–"


@given(st.floats(-1, 2) | st.none(), st.integers(1, 80))
def test_a_bar_has_its_width_whatever_it_shows(fraction: float | None, width: int) -> None:
    assert len(text.bar(fraction, width)) == width


@given(st.text(), st.integers(1, 50))
def test_shortened_text_is_one_short_line(words: str, most: int) -> None:
    short = text.shortened(words, most)
    assert len(short) <= most
    assert "\n" not in short
