"""People disagree with the verdict on a trial that the kernel really killed."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Ended, barograph
from tests.e2e.test_documented_shapes import ALWAYS, listed

KILLED = "oom_container"


@pytest.fixture
def killed(copied: Path) -> str:
    """A trial that its ceiling killed."""
    groups = barograph("why", "--dir", copied, "--json").answer["failures"]["by_cause"]
    group = next(group for group in groups if group["cause"] == KILLED)
    return str(group["examples"][0])


def override(folder: Path, trial: str, *more: str) -> Ended:
    ended = barograph("override", trial, "--dir", folder, "--author", "ada", *more, "--json")
    assert ended.code == 0, ended.err
    return ended


def infra(folder: Path, *more: str) -> list[float]:
    answer = barograph("report", "--dir", folder, "--json", *more).answer
    return [row["infra_rate"] for row in answer["curve"]]


def test_an_override_is_shown_beside_the_verdict_and_counted_only_when_asked(
    copied: Path, killed: str
) -> None:
    before = infra(copied)
    said = override(copied, killed, "--cause", "model_failure", "--because", "It looped.").answer
    assert said.keys() - ALWAYS == listed("override")
    assert (said["policy_cause"], said["cause"], said["counts_as"]) == (
        KILLED,
        "model_failure",
        "fail",
    )
    story = barograph("why", killed, "--dir", copied, "--json").answer
    assert story["verdict"]["cause"] == KILLED
    assert [word["text"] for word in story["overrides"]] == ["It looped."]
    shown = barograph("why", killed, "--dir", copied).out
    assert "ada says ✗ model_failure" in shown
    assert infra(copied) == before
    assert sum(infra(copied, "--with-overrides")) < sum(before)
    report = barograph("report", "--dir", copied).out
    assert "1 verdict is overridden by people; numbers are the policy's." in report
    document = barograph("report", "--dir", copied, "--with-overrides", "--markdown").out
    assert "1 verdict is people's, in place of the policy's." in document

    override(copied, killed, "--withdraw", "--because", "I was wrong.")
    assert infra(copied, "--with-overrides") == before
    assert barograph("verify", "--dir", copied).code == 0


def test_notes_are_shown_with_what_they_are_about(copied: Path, killed: str) -> None:
    story = barograph("why", killed, "--dir", copied, "--json").answer
    host = story["facts"]["begun"][0]["host"]
    for about in (["--trial", killed], ["--host", host], ["--from", "2020-01-01"]):
        ended = barograph("note", f"on {about[0]}", *about, "--dir", copied, "--json")
        assert ended.code == 0, ended.err
        assert ended.answer.keys() - ALWAYS == listed("note")
    barograph("note", "long ago", "--from", "2020-01-01", "--to", "2020-01-02", "--dir", copied)
    notes = barograph("why", killed, "--dir", copied, "--json").answer["notes"]
    assert [note["text"] for note in notes] == ["on --trial", "on --host", "on --from"]


REFUSED = [
    (["override", "nothing", "--cause", "network", "--because", "x"], 5, "no such trial"),
    (["override", "KILLED", "--cause", "luck", "--because", "x"], 2, "no such cause"),
    (["override", "KILLED", "--cause", "network", "--because", " "], 2, "is empty"),
    (["override", "KILLED", "--cause", "network", "--because", "x" * 10_000], 2, "10,000"),
    (["override", "KILLED", "--cause", "network", "--because", "\x1b[1m"], 2, "U+001B"),
    (["override", "KILLED", "--because", "x"], 2, "--cause CAUSE or --withdraw"),
    (["override", "KILLED", "--withdraw", "--because", "x"], 5, "overrides nothing here"),
    (["override", "KILLED", "--cause", "network"], 2, "--because"),
    (["note", "x"], 2, "is about nothing"),
    (["note", "x", "--host", "elsewhere"], 5, "no trial ran on that host"),
    (["note", "x", "--from", "soon"], 2, "is no moment"),
]


def test_what_cannot_be_said_is_refused_in_a_sentence(copied: Path, killed: str) -> None:
    for arguments, code, sentence in REFUSED:
        words = [killed if word == "KILLED" else word for word in arguments]
        barograph(*words, "--dir", copied).complained(code, sentence)
    assert barograph("why", killed, "--dir", copied, "--json").answer["overrides"] == []


def test_who_cannot_read_the_token_cannot_write(copied: Path, killed: str) -> None:
    token = copied / "run" / "write.token"
    assert token.stat().st_mode & 0o777 == 0o600
    token.unlink()
    words = ["override", killed, "--cause", "network", "--because", "x", "--dir", str(copied)]
    barograph(*words).complained(4, "write.token", "cannot be read")
    assert barograph("report", "--dir", copied).code == 0
