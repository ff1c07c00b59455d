"""Metric table, ids, errors, upgrades and clocks: the small promises of the contract."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from barograph.clock import FakeClock, SystemClock
from barograph.errors import (
    AuditError,
    BarographError,
    BusyError,
    EnvironmentRefusal,
    IncompleteError,
    InputError,
    NotFoundError,
)
from barograph.facts import FACTS, Sample
from barograph.ids import new_source, new_sweep, trial_id
from barograph.log.journal import JournalLog
from barograph.log.memory import MemoryLog
from barograph.log.opening import open_log
from barograph.metrics import METRIC_NAMES, METRICS
from barograph.upgrades import UPGRADES, lift


def test_a_sample_has_the_metrics_of_the_table_in_its_order() -> None:
    assert tuple(f.name for f in fields(Sample))[1:] == METRIC_NAMES


def test_the_unit_of_a_metric_is_the_ending_of_its_name() -> None:
    for metric in METRICS:
        for unit in ("bytes", "us"):
            assert (metric.unit == unit) == metric.name.endswith("_" + unit)


def test_every_metric_formats_a_value_and_a_gap() -> None:
    for metric in METRICS:
        assert metric.format(1_500_000)
        assert metric.format(None) == "–"


def test_every_old_version_has_an_upgrade() -> None:
    for kind, cls in FACTS.items():
        for version in range(1, cls.v):
            assert (kind, version) in UPGRADES


def test_upgrades_are_applied_one_version_at_a_time() -> None:
    def add_two(data: Mapping[str, object]) -> Mapping[str, object]:
        return {**data, "two": True}

    def list_names(data: Mapping[str, object]) -> Mapping[str, object]:
        return {"seen": sorted(data)}

    steps = {("a", 1): add_two, ("a", 2): list_names}
    assert lift("a", 1, {"one": True}, to=3, upgrades=steps) == {"seen": ["one", "two"]}
    assert lift("a", 3, {"x": 1}, to=3, upgrades=steps) == {"x": 1}


def test_a_trial_id_is_stable_for_ever() -> None:
    names = {"sweep": "s1", "condition": "1x", "agent": "brute", "task": "sort"}
    assert trial_id(**names, attempt=1) == "d3855636e81b"
    assert trial_id(**names, attempt=2) != trial_id(**names, attempt=1)


def test_drawn_ids_are_distinct_and_fit_a_file_name() -> None:
    drawn = {new_source("c") for _ in range(1000)} | {new_sweep() for _ in range(1000)}
    assert len(drawn) == 2000
    assert all(name.isalnum() and name.islower() for name in drawn)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BarographError, 1),
        (InputError, 2),
        (BusyError, 3),
        (EnvironmentRefusal, 4),
        (NotFoundError, 5),
        (AuditError, 6),
        (IncompleteError, 7),
    ],
)
def test_every_error_has_its_exit_code(error: type[BarographError], code: int) -> None:
    assert error("x").exit_code == code


def test_an_error_says_what_where_and_what_would_be_right() -> None:
    error = InputError(
        "not a size", where="a.toml", field="memory", value="2GB", remedy="write '2G'"
    )
    assert str(error) == "a.toml: memory = '2GB': not a size; write '2G'"
    assert str(InputError("no such file", where="a.toml")) == "a.toml: no such file"
    assert str(InputError("is wrong", value=None)) == "None: is wrong"
    assert len(str(InputError("long", value="x" * 1000))) < 200


def test_a_log_is_opened_by_its_url(tmp_path: Path) -> None:
    assert isinstance(open_log(f"journal:{tmp_path}"), JournalLog)
    assert isinstance(open_log("memory:"), MemoryLog)


@pytest.mark.parametrize("url", ["", "journal", "journal:", "carrier-pigeon:x", "/a/path"])
def test_an_unknown_log_is_refused_with_what_exists(url: str) -> None:
    with pytest.raises(InputError, match="journal"):
        open_log(url)


def test_clocks() -> None:
    system = SystemClock()
    assert system.wall_us() > 1_700_000_000_000_000
    assert system.mono_us() <= system.mono_us()
    fake = FakeClock(wall_us=100, mono_us=10)
    fake.advance(5)
    fake.step_wall(-50)
    assert (fake.wall_us(), fake.mono_us()) == (55, 15)
