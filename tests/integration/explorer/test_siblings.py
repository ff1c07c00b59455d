"""The same task elsewhere: marks that are links, as many as a browser can draw."""

from pathlib import Path

import pytest

from tests.explored import Tried, explored, folder_with
from ui.palette import LOOKS

CEILINGS = ("1x", "2x", "3x", "uncapped")
MARKS = {*"[] ", *(look.mark for look in LOOKS.values())}


def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attempts: int) -> list[tuple[str, str]]:
    """Label and page of each link of the part."""
    trials = [
        Tried(
            task="sort",
            agent=agent,
            condition=condition,
            attempt=attempt,
            ended="killed" if condition == "1x" else "passed",
        )
        for condition in CEILINGS
        for agent in ("brute", "thrifty")
        for attempt in range(1, attempts + 1)
    ]
    folder = folder_with(tmp_path / "data", trials)
    app = explored(folder, monkeypatch, "trial", trial="000000000001")
    assert not app.exception
    links = [link.proto for link in app.get("page_link")]
    # Without what shows text as it is: marks are no markup.
    labels = [
        str(link.label).translate(dict.fromkeys(map(ord, "\\\u2068\u2069"))) for link in links
    ]
    return [
        (label, str(link.query_string))
        for label, link in zip(labels, links, strict=True)
        if label and set(label) <= MARKS
    ]


def test_a_few_are_a_link_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    links = marks(tmp_path, monkeypatch, 3)
    assert len(links) == len(CEILINGS) * 2 * 3 - 1
    assert all("trial=" in query for _, query in links)


def test_of_many_each_ceiling_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    links = marks(tmp_path, monkeypatch, 9)
    assert len(links) == len(CEILINGS) * 2
    label, query = links[0]
    assert label == "[M] M M M M M M M M"
    assert set(query.split("&")) == {"sweep=s1", "task=sort", "agent=brute", "condition=1x"}
