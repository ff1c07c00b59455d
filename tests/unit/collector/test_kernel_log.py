r"""The kernel log's lines about kills, as a real kernel wrote them and as it might."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.kernel_log import KillNotice, KillParser, Record, parse_record

HEADER = (
    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,"
    "oom_memcg=/barograph,task_memcg=/barograph/a,b/t-1,task=python3,pid=9937,uid=0"
)
KILLED = (
    "Memory cgroup out of memory: Killed process 9937 (python3) total-vm:118956kB, "
    "anon-rss:40704kB, file-rss:6720kB, shmem-rss:4kB, UID:0 pgtables:140kB oom_score_adj:0"
)


def feed(parser: KillParser, *records: tuple[str, str] | str, stamp: int = 100) -> list[KillNotice]:
    notices: list[KillNotice] = []
    for number, record in enumerate(records):
        flags, text = ("-", record) if isinstance(record, str) else record
        notice = parser.feed(
            Record(facility=0, stamp_us=stamp + number, continues=flags == "c", text=text)
        )
        notices += [notice] if notice is not None else []
    return notices


def test_both_lines_make_one_full_notice() -> None:
    [notice] = feed(KillParser(), HEADER, KILLED)
    assert notice == KillNotice(
        pid=9937,
        comm="python3",
        rss_bytes=(40704 + 6720 + 4) * 1024,
        anon_bytes=40704 * 1024,
        stamp_us=101,
        constraint="CONSTRAINT_MEMCG",
        oom_cgroup="/barograph",
        task_cgroup="/barograph/a,b/t-1",
    )


def test_the_line_that_is_rationed_may_be_missing() -> None:
    [notice] = feed(KillParser(), KILLED)
    assert (notice.pid, notice.task_cgroup, notice.constraint) == (9937, None, "CONSTRAINT_MEMCG")


def test_a_header_completes_its_own_pid_only_and_only_once() -> None:
    other = KILLED.replace("9937", "12")
    notices = feed(KillParser(), HEADER, other, KILLED, KILLED)
    cgroups = [(notice.pid, notice.task_cgroup) for notice in notices]
    assert cgroups == [(12, None), (9937, "/barograph/a,b/t-1"), (9937, None)]


def test_a_header_does_not_wait_for_a_pid_that_comes_round_again() -> None:
    parser = KillParser()
    feed(parser, HEADER)
    [notice] = feed(parser, KILLED, stamp=100 + 11_000_000)
    assert notice.task_cgroup is None


@pytest.mark.parametrize("cuts", [(10,), (60, 61), (100, 120, 140)], ids=str)
def test_a_header_in_pieces_with_another_message_between_is_put_together(
    cuts: tuple[int, ...],
) -> None:
    edges = [0, *cuts, len(HEADER)]
    pieces = [HEADER[a:b] for a, b in itertools.pairwise(edges)]
    records: list[tuple[str, str] | str] = [pieces[0], "usb 1-1: new device"]
    records += [("c", piece) for piece in pieces[1:]]
    [notice] = feed(KillParser(), *records, KILLED)
    assert notice.task_cgroup == "/barograph/a,b/t-1"


def test_a_global_kill_has_no_ceiling_of_its_own() -> None:
    header = HEADER.replace("oom_memcg=/barograph", "global_oom").replace("_MEMCG", "_NONE")
    [notice] = feed(KillParser(), header, KILLED.replace("Memory cgroup out", "Out"))
    assert (notice.oom_cgroup, notice.constraint) == (None, "CONSTRAINT_NONE")
    assert notice.task_cgroup == "/barograph/a,b/t-1"


def test_a_group_kill_hints_at_its_cgroup_for_a_moment() -> None:
    group = "Tasks in /barograph/x are going to be killed due to memory.oom.group set"
    parser = KillParser()
    [hinted] = feed(parser, group, KILLED)
    assert (hinted.group_cgroup, hinted.task_cgroup) == ("/barograph/x", None)
    [later] = feed(parser, KILLED, stamp=1_000_000)
    assert later.group_cgroup is None


@pytest.mark.parametrize("comm", ["a) b", "(sd-pam)", "x (y) total-vm:1kB", "tab\there", "ü"])
def test_any_name_of_a_process_is_kept(comm: str) -> None:
    [notice] = feed(KillParser(), KILLED.replace("(python3)", f"({comm})"))
    assert notice.comm == comm


def test_kernels_before_5_told_without_shared_memory_or_scope() -> None:
    line = "Killed process 7 (perl) total-vm:10kB, anon-rss:3kB, file-rss:2kB"
    [notice] = feed(KillParser(), line)
    assert (notice.rss_bytes, notice.constraint) == (5 * 1024, None)


def test_what_a_process_wrote_into_the_log_is_no_evidence() -> None:
    raw = b"12,663,1223832805,-;" + KILLED.encode()  # facility 1: user
    record = parse_record(raw)
    assert record is not None
    assert KillParser().feed(record) is None


def test_a_record_is_taken_apart() -> None:
    raw = b"6,663,1223832805,-,caller=T12;a\\x0ab \\xc3\\xbc\\x5c\n SUBSYSTEM=cpu\n DEVICE=+cpu:0\n"
    assert parse_record(raw) == Record(0, 1223832805, continues=False, text="a\nb ü\\")
    assert parse_record(b"4,1,2,c;rest\n") == Record(0, 2, continues=True, text="rest")


@pytest.mark.parametrize("raw", [b"", b"nothing", b"1,2;short", b"a,b,c,d;words", b";"], ids=repr)
def test_what_is_no_record_is_none(raw: bytes) -> None:
    assert parse_record(raw) is None


@given(st.binary(max_size=300))
def test_no_bytes_whatever_break_the_parser(raw: bytes) -> None:
    record = parse_record(b"6,1,2,-;" + raw)
    assert record is not None
    KillParser().feed(record)


@given(st.lists(st.sampled_from([HEADER[:40], HEADER[40:], HEADER, "Tasks in /x", "other"])))
def test_no_order_of_pieces_invents_a_kill(texts: list[str]) -> None:
    records: list[tuple[str, str] | str] = [("c", text) for text in texts]
    assert feed(KillParser(), *records) == []
