"""What travels over the socket: every request there and back, everything else refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.errors import (
    CollectorBusyError,
    CollectorError,
    ProbeRefusal,
    RequestError,
    TargetGone,
    UnknownTargetError,
)
from collector.protocol import (
    Finish,
    Status,
    Stop,
    Watch,
    encode,
    parse_request,
    refusal,
    watch_fields,
)

texts = st.one_of(st.none(), st.text(max_size=20))
watches = st.builds(
    Watch,
    target=st.text(min_size=1, max_size=20),
    cgroups=st.dictionaries(st.text(max_size=8), st.just("/sys/fs/cgroup/x"), max_size=3),
    pid=st.one_of(st.none(), st.integers(0, 2**22)),
    ours=st.booleans(),
    reset_peaks=st.booleans(),
    kernel_path=texts,
    sweep=texts,
    trial=texts,
    try_no=st.one_of(st.none(), st.integers(0, 1000)),
)


@given(watch=watches)
def test_a_watch_arrives_as_it_was_sent(watch: Watch) -> None:
    assert parse_request(encode(watch_fields(watch))) == watch


def test_the_other_requests() -> None:
    assert parse_request(b'{"do":"finish","target":"t"}') == Finish(target="t")
    line = b'{"do":"finish","target":"t","reason":"left_over","new":1}'
    assert parse_request(line) == Finish(target="t", reason="left_over")
    assert parse_request(b'{"do":"status"}') == Status()
    assert parse_request(b'{"do":"stop"}') == Stop()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "do"),
        ({"do": 7}, "do"),
        ({"do": "watch"}, "target"),
        ({"do": "watch", "target": ""}, "target"),
        ({"do": "watch", "target": "t", "ours": "yes"}, "ours"),
        ({"do": "watch", "target": "t", "try": True}, "try"),
        ({"do": "watch", "target": "t", "try": -1}, "try"),
        ({"do": "watch", "target": "t", "pid": 1.5}, "pid"),
        ({"do": "watch", "target": "t", "sweep": 5}, "sweep"),
        ({"do": "watch", "target": "t", "cgroups": "/x"}, "cgroups"),
        ({"do": "watch", "target": "t", "cgroups": {"memory": "x"}}, "cgroups.memory"),
        ({"do": "watch", "target": "t", "cgroups": {"memory": None}}, "cgroups.memory"),
        ({"do": "watch", "target": "t", "cgroups": {"memory": "/a\0b"}}, "cgroups.memory"),
        ({"do": "finish", "target": "t", "reason": None}, "reason"),
    ],
    ids=str,
)
def test_a_wrong_field_is_named(fields: dict[str, object], field: str) -> None:
    with pytest.raises(RequestError) as caught:
        parse_request(json.dumps(fields).encode())
    assert caught.value.field == field


@given(st.binary(max_size=60))
def test_no_bytes_whatever_do_more_than_be_refused(line: bytes) -> None:
    with pytest.raises(RequestError):
        parse_request(line)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RequestError("x"), "request"),
        (UnknownTargetError("x"), "unknown_target"),
        (TargetGone("x"), "gone"),
        (ProbeRefusal("x"), "refused"),
        (CollectorBusyError("x"), "failed"),
    ],
    ids=str,
)
def test_an_error_answers_with_its_kind_and_sentence(error: CollectorError, kind: str) -> None:
    assert refusal(error) == {"ok": False, "error": "x", "kind": kind}
