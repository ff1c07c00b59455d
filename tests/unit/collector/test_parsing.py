"""The kernel's files, in the forms that kernels write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.probes import parsing
from collector.probes.parsing import Pair

STAT = b"cache 0\nrss 1\nrss_huge 2\ninactive_file 3\ntotal_rss 4\ntotal_inactive_file 5\n"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"cache", 0),
        (b"rss", 1),
        (b"rss_huge", 2),
        (b"inactive_file", 3),
        (b"total_rss", 4),
        (b"total_inactive_file", 5),
        (b"file", None),
        (b"total", None),
    ],
    ids=str,
)
def test_a_key_is_found_whole(key: bytes, value: int | None) -> None:
    assert parsing.flat(STAT, key) == value


@given(
    st.dictionaries(
        st.from_regex(rb"[a-z_]{1,12}", fullmatch=True), st.integers(0, 2**64), max_size=20
    )
)
def test_any_flat_file_gives_back_its_values(table: dict[bytes, int]) -> None:
    data = b"".join(b"%s %d\n" % item for item in table.items())
    assert {key: parsing.flat(data, key) for key in table} == table


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"max\n", None),
        (b"9223372036854771712\n", None),
        (b"41943040\n", 41943040),
        (b"0\n", 0),
        (b"", None),
    ],
    ids=str,
)
def test_no_limit_is_no_number(text: bytes, value: int | None) -> None:
    assert parsing.limit(text) == value


def test_pressure_gives_the_totals() -> None:
    data = (
        b"some avg10=0.00 avg60=0.12 avg300=0.00 total=12345\n"
        b"full avg10=0.00 avg60=0.00 avg300=0.00 total=678\n"
    )
    assert parsing.psi(data) == Pair(12345, 678)


def test_pressure_of_a_kernel_without_full_cpu_or_without_psi_is_missing() -> None:
    assert parsing.psi(b"some avg10=0.00 avg60=0.00 avg300=0.00 total=9\n") == Pair(9, None)
    assert parsing.psi(b"") == Pair(None, None)


def test_block_io_is_summed_over_devices() -> None:
    v1 = b"8:0 Read 10\n8:0 Write 20\n8:0 Total 30\n8:16 Read 1\n8:16 Write 2\nTotal 33\n"
    assert parsing.blkio(v1) == Pair(11, 22)
    assert parsing.blkio(b"Total 0\n") == Pair(0, 0)
    v2 = b"8:0 rbytes=10 wbytes=20 rios=1 wios=1 dbytes=5 dios=1\n8:16 rbytes=1 wbytes=2 rios=0\n"
    assert parsing.io_stat(v2) == Pair(11, 22)


def test_traffic_leaves_the_loopback_out() -> None:
    data = (
        b"Inter-|   Receive                |  Transmit\n"
        b" face |bytes    packets errs drop fifo frame compressed multicast|bytes packets\n"
        b"    lo: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n"
        b"  eth0:5000 9 0 0 0 0 0 0 700 3 0 0 0 0 0 0\n"
        b" veth1: 11 1 0 0 0 0 0 0 22 1 0 0 0 0 0 0\n"
    )
    assert parsing.net_dev(data) == Pair(5011, 722)


def test_a_busy_cpu_is_all_but_idle_and_iowait() -> None:
    assert parsing.cpu_busy_ticks(b"cpu  1 2 4 1000 2000 8 16 32 64 0\ncpu0 ...\n") == 63
    assert parsing.cpu_busy_ticks(b"") is None


@given(st.binary(max_size=200))
def test_no_bytes_whatever_make_a_parser_of_totals_fail(data: bytes) -> None:
    parsing.flat(data, b"anon")
    parsing.psi(data)
    parsing.limit(data)
