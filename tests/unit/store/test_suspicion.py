"""The quick look at a line finds whatever the pattern would: it only saves time."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import settling

PIECES = [
    *(b"1" * 18, b"9" * 19, b"-nan", b"NaN", b"Inf", b"-INF", b": -iNf", b"infra", b"banana"),
    *(b",]", b", }", b",  ]", b"] ,", b"{", b"}", b"[", b":", b",", b" ", b"\x00", b"\t", b"\x1f"),
    *(b"\x7f", b"\xc3\xa9", b"a", b"Z", b"0", b'"text, with a comma"'),
]
LINES = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)


@given(line=LINES)
def test_a_line_that_the_pattern_finds_is_suspicious(line: bytes) -> None:
    found = re.search(
        rb"\d{19}|[:,\[]\s*-?(?i:nan|inf)|,\s*[\]}]|[\x00-\x1f]",
        line,
    )
    assert settling.suspicious(line) == (found is not None)


@pytest.mark.parametrize(
    "line", [b'{"a":1}', b'{"says":"information: a nanny"}', b'{"n":1234567890123456 78}']
)
def test_an_honest_line_is_not(line: bytes) -> None:
    assert not settling.suspicious(line)
