"""SQL files say what they answer, and fit the facts and rows on both of their sides."""

import re
from dataclasses import MISSING, fields
from typing import get_type_hints

import pytest

from barograph.facts import FACTS, Sample
from barograph.metrics import METRIC_NAMES
from store.catalogue import catalogue, projection_name, query
from store.database import memory_database
from tests.stores import empty_store, table_names

KINDS = (
    *("migrations", "projections", "queries", "loading", "judging", "sparks"),
    *("copying", "exported"),
)
ENVELOPE = ["source", "seq", "t_us", "mono_us", "sweep", "trial", "try_no", "target"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_begins_with_a_sentence(kind: str) -> None:
    for statement in catalogue(kind).values():
        assert statement.says[:1].isupper(), statement.name
        assert statement.says.endswith((".", "?")), statement.name
        assert statement.sql, statement.name


def test_a_query_asks() -> None:
    assert [one.name for one in catalogue("queries").values() if "?" not in one.says] == []


def test_every_event_type_has_a_projection_and_no_other_has() -> None:
    assert set(catalogue("projections")) == {projection_name(kind) for kind in FACTS}


@pytest.mark.parametrize("kind", sorted(FACTS))
def test_the_table_of_a_type_has_a_column_for_every_field(kind: str) -> None:
    cls = FACTS[kind]
    described = empty_store().ask(f"DESCRIBE {projection_name(kind)}").rows
    columns = [str(row[0]) for row in described]
    known = [field.name for field in fields(cls) if field.name != "extra"]
    assert columns == ENVELOPE + (list(METRIC_NAMES) if cls is Sample else known)


@pytest.mark.parametrize("kind", sorted(FACTS))
def test_what_a_type_demands_its_table_demands_too(kind: str) -> None:
    cls = FACTS[kind]
    hints = get_type_hints(cls)
    described = empty_store().ask(f"DESCRIBE {projection_name(kind)}").rows
    demanded = {str(row[0]) for row in described if row[2] == "NO"} - set(ENVELOPE)
    required = {
        field.name
        for field in fields(cls)
        if field.name != "extra"
        and (field.default is MISSING or field.default is not None)
        and type(None) not in getattr(hints[field.name], "__args__", ())
    }
    assert demanded == required


def test_values_are_filled_in_by_name() -> None:
    statement = query("trial_ends")
    assert statement.values == {"trial"}
    assert "WHERE trial = 'it''s'" in statement.fill({"trial": "it's"})


def test_a_value_that_nobody_asked_for_is_refused() -> None:
    with pytest.raises(KeyError, match="does not take"):
        query("trial_ends").fill({"trial": "t", "sweep": "s"})


def test_the_audit_looks_into_every_table_of_events() -> None:
    events = {projection_name(kind) for kind in FACTS} | {"unknown_event"}
    files = [one.sql for one in catalogue("migrations").values() if "VIEW held AS" in one.sql]
    view = files[-1].split("VIEW held AS")[1]
    held = re.findall(r"SELECT source, seq FROM (\w+)", view)
    assert sorted(held) == sorted(events)
    for name in ("audit_runs", "audit_doubled"):
        assert "FROM held" in query(name).sql


def test_all_migrations_run_and_leave_the_tables_that_the_loader_knows() -> None:
    with memory_database() as database:
        names = set(table_names(database))
    assert {projection_name(kind) for kind in FACTS} <= names
    assert {"log_position", "source_progress", "gap", "dead_letter"} <= names
