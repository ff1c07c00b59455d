"""Addresses: what is written down is read again, and nothing that can be typed breaks it."""

from typing import Final
from urllib.parse import parse_qs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ui.explorer.address import KEYS, MOST_CHARS, MOST_VALUES, Filters, View

NAMES: Final = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40
)
TIMES: Final = st.integers(0, 2**61)
VIEWS: Final = st.builds(
    View,
    sweep=st.none() | NAMES,
    trial=st.none() | NAMES,
    try_no=st.none() | st.integers(0, 10**6),
    filters=st.builds(
        Filters,
        agents=st.lists(NAMES, max_size=3, unique=True).map(tuple),
        conditions=st.lists(NAMES, max_size=3, unique=True).map(tuple),
        causes=st.lists(NAMES, max_size=3, unique=True).map(tuple),
        tasks=st.lists(NAMES, max_size=3, unique=True).map(tuple),
        text=st.none() | NAMES,
    ),
    window=st.none() | st.tuples(TIMES, TIMES).filter(lambda ends: ends[0] < ends[1]),
    tab=st.none() | NAMES,
    live=st.booleans(),
)


@given(VIEWS)
@example(View(window=(0, 10**18)))
def test_a_link_opens_the_view_it_was_made_of(view: View) -> None:
    page, _, query = view.link("trials").partition("?")
    assert page == "trials"
    assert View.parse(parse_qs(query)) == view


@given(st.dictionaries(st.sampled_from([*KEYS.values(), "other"]), st.lists(st.text(max_size=400))))
def test_no_address_raises(params: dict[str, list[str]]) -> None:
    view = View.parse(params)
    for name in (view.sweep, view.trial, view.tab, view.filters.text, *view.filters.tasks):
        assert name is None or 0 < len(name) <= MOST_CHARS
    assert len(view.filters.tasks) <= MOST_VALUES


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("trial", "x" * 10_000),
        ("trial", "a\0b"),
        ("try", "-1"),
        ("try", "one"),
        ("try", "9" * 10_000),
        ("try", "٣"),
        ("window", "5"),
        ("window", "9-5"),
        ("window", "5-5"),
        ("window", "1-99999999999999999999"),
    ],
)
def test_what_cannot_be_is_left_out_and_said(field: str, value: str) -> None:
    view = View.parse({field: [value]})
    assert (view.trial, view.try_no, view.window) == (None, None, None)
    (said,) = view.problems
    assert f"in this address, {field}" in said
    assert "left out" in said
    assert len(said) < 100


def test_too_many_values_are_cut_and_said() -> None:
    view = View.parse({"task": [f"t{number}" for number in range(80)]})
    assert len(view.filters.tasks) == MOST_VALUES
    assert view.problems == ("in this address, task has 80 values; the first 50 count",)


def test_filters_know_whether_they_leave_anything_out() -> None:
    assert not Filters().any
    assert Filters(causes=("oom_container",)).any


def test_a_link_to_one_trial_keeps_the_sweep_alone() -> None:
    view = View(sweep="s1", filters=Filters(tasks=("a",)), tab="memory")
    assert view.only("t1", 2).params() == {"sweep": "s1", "trial": "t1", "try": "2"}
