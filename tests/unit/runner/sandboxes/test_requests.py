"""Requests that no sandbox can be made from are refused with what would be right."""

from dataclasses import replace
from pathlib import Path

import pytest

from runner.sandboxes import requests
from runner.sandboxes.errors import SandboxInputError, SandboxRefusal
from runner.sandboxes.port import DriverContext, SandboxRequest

CAP = 8 << 30
GOOD = SandboxRequest(
    name="abc-1",
    oom_scope="sandbox",
    memory_floor_bytes=1 << 26,
    memory_ceiling_bytes=1 << 27,
    cpu_floor_cores=0.5,
    cpu_ceiling_cores=1.0,
)


@pytest.mark.parametrize("name", ["a", "A-1_b", "0", "x" * 64])
def test_ordinary_names_pass(name: str) -> None:
    requests.check(replace(GOOD, name=name), CAP)


@pytest.mark.parametrize("workdir", ["/app", "/srv/space", "/root/x", "/user", "/opt"])
def test_ordinary_folders_pass(workdir: str) -> None:
    requests.check(replace(GOOD, workdir=workdir), CAP)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "notify_on_release"),
        ("name", "é"),
        ("memory_floor_bytes", -1),
        ("memory_floor_bytes", (1 << 27) + 1),
        ("memory_ceiling_bytes", 4096),
        ("cpu_floor_cores", 0.0),
        ("cpu_floor_cores", 1.5),
        ("cpu_ceiling_cores", float("nan")),
        ("pids_limit", 3),
        ("workdir", "/app/"),
        ("workdir", "/a//b"),
        ("workdir", "/proc/x"),
        ("workdir", "/a\0b"),
        ("environment", {"": "x"}),
    ],
    ids=str,
)
def test_the_field_is_named(field: str, value: object) -> None:
    with pytest.raises(SandboxInputError) as refused:
        requests.check(replace(GOOD, **{field: value}), CAP)  # type: ignore[arg-type]  # any field
    assert refused.value.field == field
    assert refused.value.remedy


def test_more_than_the_cap_is_the_machines_refusal() -> None:
    with pytest.raises(SandboxRefusal) as refused:
        requests.check(replace(GOOD, memory_ceiling_bytes=None, memory_floor_bytes=CAP + 1), CAP)
    assert refused.value.field == "memory_floor_bytes"


@pytest.mark.parametrize("folder_id", ["", "A", "a/b", "x" * 33])
def test_folder_ids_are_checked(folder_id: str) -> None:
    context = DriverContext(folder_id=folder_id, scratch=Path("s"), records=Path("r"))
    with pytest.raises(SandboxInputError):
        requests.check_context(context)
