"""The file that says how far a topic is: whatever is wrong with it, it is as good as none."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barograph.log.port import LogError
from barograph.shipping.marks import Marks

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
MARKS = st.builds(
    Marks,
    topic=TEXTS,
    log=TEXTS,
    acknowledged=st.dictionaries(TEXTS, st.integers(0, 2**62), max_size=5),
    complete_t_us=st.none() | st.integers(0, 2**62),
    failures=st.integers(0, 1000),
    error=st.none() | TEXTS,
)


@given(marks=MARKS)
def test_what_was_written_is_read(tmp_path_factory: pytest.TempPathFactory, marks: Marks) -> None:
    file = tmp_path_factory.getbasetemp() / "marks.json"
    marks.write(file)
    assert Marks.read(file) == marks
    assert list(file.parent.glob("marks.json.*")) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"v":1}',
        '{"v":2,"topic":"t","log":"l","acknowledged":{},"failures":0}',
        '{"v":1,"topic":"t","log":"l","acknowledged":[],"failures":0}',
        '{"v":1,"topic":"t","log":"l","acknowledged":{"a":-1},"failures":0}',
        '{"v":1,"topic":"t","log":"l","acknowledged":{"a":true},"failures":0}',
        '{"v":1,"topic":5,"log":"l","acknowledged":{},"failures":0}',
        '{"v":1,"topic":"t","log":"l","acknowledged":{},"failures":0,"more":1}',
        '{"v":1,"topic":"t","log":"l","acknowledged":{},"failures":null}',
    ],
)
def test_what_is_not_right_is_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "marks.json"
    file.write_text(text)
    assert Marks.read(file) is None
    assert Marks.read(tmp_path / "nothing") is None


def test_where_it_cannot_be_written_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="cannot note"):
        Marks(topic="t", log="l").write(tmp_path / "not" / "there")
