"""Values come back from DuckDB as they were given, whatever is in them."""

import math
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.database import Database, Settings, memory_database
from store.literals import Value, literal

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.binary()
)


@cache
def empty_database() -> Database:
    return memory_database(Settings(threads=1))


@given(SCALARS)
def test_a_value_comes_back_as_it_was(value: Value) -> None:
    ((back,),) = empty_database().ask(f"SELECT {literal(value)}").rows
    assert back == value
    assert isinstance(back, bool) == isinstance(value, bool)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_a_list_comes_back_as_it_was(value: list[str]) -> None:
    ((back,),) = empty_database().ask(f"SELECT {literal(value)}::VARCHAR[]").rows
    assert back == value


@pytest.mark.parametrize("text", ["'; DROP TABLE sample; --", "\\'", "$$", "a\0b", "''", "\0"])
def test_text_stays_text(text: str) -> None:
    assert empty_database().ask(f"SELECT {literal(text)}").rows == [(text,)]


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_what_is_no_number_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        literal(number)
