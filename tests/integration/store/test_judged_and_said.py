"""Verdicts and words in a served store: a real journal, a real server, a real DuckDB file."""

from collections.abc import Generator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.dataset import judge_try
from analysis.judging import evidence_items
from analysis.verdicts.reading import policy_v1
from barograph.clock import SystemClock
from barograph.envelope import Belongs
from barograph.errors import EnvironmentRefusal, InputError
from barograph.facts import (
    NoteAdded,
    Payload,
    PhaseStarted,
    SweepFinished,
    VerdictOverridden,
)
from barograph.folder import DataFolder
from barograph.log.journal import JournalLog
from barograph.writer import Writer
from store import connect
from tests.stores import golden_lines
from tests.told import DIED, ENDED, FINISHED, KILL, SANDBOX, started

SAID = VerdictOverridden(
    author="ada", text="It was the disk.", cause="disk_full", counts_as="infra_error"
)


class Sweep:
    """A data folder with the golden journal in it, a writer beside it, and its server."""

    def __init__(self, root: Path) -> None:
        self.folder = DataFolder.create(str(root))
        self.folder.journal.mkdir(exist_ok=True)
        golden = self.folder.journal / "golden.000000.jsonl"
        golden.write_bytes(b"\n".join([*golden_lines(), b""]))
        self.log = JournalLog(self.folder.journal, reserve_bytes=0)
        self.writer = Writer(self.log, source="r9", clock=SystemClock())
        self.served = connect(self.folder)
        self.served.load()

    def tell(self, trial: str, *payloads: Payload) -> None:
        for payload in payloads:
            belongs = Belongs(sweep="s1", trial=trial, try_no=1, target=f"{trial}-1")
            self.writer.write(payload, belongs)
        self.writer.sync()
        self.served.load()

    def kept(self) -> dict[str, Mapping[str, object]]:
        rows = self.served.ask("FROM judged_try ORDER BY trial, try_no").records()
        return {f"{row['trial']}-{row['try_no']}": row for row in rows}


@pytest.fixture
def sweep(tmp_path: Path) -> Generator[Sweep]:
    made = Sweep(tmp_path / "data")
    yield made
    made.served.close()
    made.log.close()


def equal_to_policy(sweep: Sweep) -> None:
    """Each ended try has the verdict that the policy gives on its evidence now."""
    kept = sweep.kept()
    tries = sweep.served.reader().tries(outcomes_only=False)
    assert kept.keys() == {f"{row.trial}-{row.try_no}" for row in tries}
    for row in tries:
        verdict, mine = judge_try(policy_v1(), row), kept[f"{row.trial}-{row.try_no}"]
        for name in ("cause", "family", "confidence", "counts_as", "says", "evidence_digest"):
            assert mine[name] == getattr(verdict, name)
        assert mine["also"] == list(verdict.also)
        assert evidence_items(str(mine["because"])) == verdict.evidence
        assert (mine["outcome"], mine["peak_bytes"]) == (row.outcome, row.peak_bytes)


def test_a_try_is_judged_when_it_ends_and_again_when_a_kill_is_told_late(sweep: Sweep) -> None:
    equal_to_policy(sweep)
    sweep.tell("a", started(), SANDBOX, PhaseStarted(phase="agent"))
    assert "a-1" not in sweep.kept()
    sweep.tell("a", replace(DIED, sandbox_exit=137))
    before = sweep.kept()["a-1"]["cause"]
    seen = sweep.served.watermark()
    sweep.tell("a", KILL, replace(ENDED, oom_kill_total=1))
    assert sweep.kept()["a-1"]["cause"] == "oom_container" != before
    assert sweep.served.watermark() > seen
    equal_to_policy(sweep)


def test_verdicts_are_made_again_with_the_tables(sweep: Sweep) -> None:
    kept = sweep.kept()
    assert kept
    sweep.served.rebuild()
    assert sweep.kept() == kept
    assert sweep.served.audit().ok


def test_words_go_through_the_server_and_survive_a_rebuild(sweep: Sweep) -> None:
    sweep.tell("a", started(), SANDBOX, FINISHED)
    belongs = Belongs(sweep="s1", trial="a", try_no=1)
    event = sweep.served.append(SAID, belongs)
    assert event.source.startswith("p")
    sweep.served.append(NoteAdded(author="ada", text="x", host="h1"))
    words = sweep.served.reader().words()
    assert words[-2].text == SAID.text
    cause = sweep.kept()["a-1"]["cause"]
    sweep.served.rebuild()
    assert sweep.served.reader().words() == words
    assert sweep.served.audit().ok
    assert sweep.kept()["a-1"]["cause"] == cause, "the policy's verdict stays the policy's"


@pytest.mark.parametrize(
    "payload",
    [
        replace(SAID, text=""),
        replace(SAID, text="x" * 10_000),
        replace(SAID, text="\x1b[2J"),
        SweepFinished(reason="complete", trials_ended=1),
    ],
    ids=["empty", "long", "control", "not a person's"],
)
def test_the_server_itself_refuses_what_people_cannot_say(sweep: Sweep, payload: Payload) -> None:
    with pytest.raises(InputError):
        sweep.served.append(payload, Belongs(sweep="s1", trial="a", try_no=1))
    assert len(list(sweep.folder.journal.glob("p*.jsonl"))) == 0


def test_without_the_token_nobody_writes_and_everybody_reads(sweep: Sweep) -> None:
    token = sweep.folder.write_token
    assert token.stat().st_mode & 0o777 == 0o600
    token.unlink()
    with pytest.raises(EnvironmentRefusal, match="the token cannot be read"):
        sweep.served.append(SAID, Belongs(sweep="s1", trial="a", try_no=1))
    assert sweep.served.reader().sweeps()
