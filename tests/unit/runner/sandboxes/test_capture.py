"""Head, tail and count of a command's output, whatever pieces it comes in."""

from hypothesis import given
from hypothesis import strategies as st

from runner.sandboxes.supervisor.capture import FREE_BYTES, Capture


@given(st.lists(st.binary(max_size=40)), st.integers(0, 60))
def test_short_output_is_kept_whole_and_long_output_cut(pieces: list[bytes], keep: int) -> None:
    capture = Capture(keep)
    for piece in pieces:
        capture.feed(piece)
    whole = b"".join(pieces)
    assert capture.total == len(whole)
    kept = capture.kept()
    if len(whole) <= keep:
        assert kept == whole
        return
    head, tail = keep - keep // 2, keep // 2
    middle = b"\n[... %d bytes left out ...]\n" % (len(whole) - keep)
    assert kept == whole[:head] + middle + whole[len(whole) - tail :]


def test_memory_is_bounded() -> None:
    capture = Capture(100)
    for _ in range(1000):
        capture.feed(b"x" * 1000)
    assert len(capture.kept()) < 200
    assert not capture.flooding
    capture.total = FREE_BYTES + 1
    assert capture.flooding
