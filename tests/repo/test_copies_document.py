"""docs/copies.md names every column of the tables that an export writes."""

import re

from store.catalogue import catalogue
from store.database import memory_database
from tests.repo.tree import ROOT


def test_every_column_of_an_exported_table_is_documented() -> None:
    names = ("copies.md", "metrics.md", "events.md")
    text = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in names)
    known = set(re.findall(r"`(\w+)`", text))
    with memory_database() as database:
        for name, question in catalogue("exported").items():
            described = database.ask(f"DESCRIBE ({question.sql})").rows
            columns = {str(row[0]) for row in described}
            assert columns - known == set(), name
            assert f"| `{name}` |" in text
