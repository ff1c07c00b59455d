"""An agent's log is bounded, keeps both ends, and says what is missing between them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.agents.output import BoundedLog


def written(folder: Path, pieces: list[bytes], *, head: int, tail: int) -> bytes:
    path = folder / "agent.log"
    log = BoundedLog(path, head_bytes=head, tail_bytes=tail)
    for piece in pieces:
        log.feed(piece)
    log.close()
    return path.read_bytes()


@given(
    pieces=st.lists(st.binary(min_size=1, max_size=30), max_size=20),
    head=st.integers(0, 60),
    tail=st.integers(0, 60),
)
def test_both_ends_are_kept_and_the_gap_is_told(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], head: int, tail: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    whole = b"".join(pieces)

    kept = written(folder, pieces, head=head, tail=tail)

    if len(whole) <= head + tail:
        assert kept == whole
    else:
        missing = b"\n[... %d bytes left out ...]\n" % (len(whole) - head - tail)
        assert kept == whole[:head] + missing + (whole[-tail:] if tail else b"")


def test_the_beginning_is_there_while_the_agent_runs(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "agent.log", head_bytes=3)
    log.feed(b"abcdef")

    assert (tmp_path / "agent.log").read_bytes() == b"abc"


def test_a_disk_that_takes_nothing_stops_nobody(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "absent" / "agent.log")
    log.feed(b"x")
    log.close()
