"""Trials and Trial over real, served stores: what they say, what is missing, what is broken."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from streamlit.testing.v1 import AppTest

import store
from barograph.clock import US_PER_S
from barograph.envelope import Belongs
from barograph.facts import ExecFinished, OomKill, Payload, PhaseStarted, Sample, TrialStarted
from barograph.folder import DataFolder
from barograph.log.opening import open_log
from barograph.units import MIB
from barograph.writer import Said, Writer
from tests.explored import NASTY, Tried, explored, folder_with, said, specs
from tests.stores import golden_lines

KILLED, PASSED, FAILED, OPEN = (f"{place:012x}" for place in range(1, 5))
SOME = (
    Tried(task="sort", ended="killed"),
    Tried(task="sort", condition="2x"),
    Tried(task="diff", agent="thrifty", ended="failed"),
    Tried(task="diff", ended="open"),
)
GOLDEN = "7753fd3b0617"
BAD: tuple[dict[str, str | list[str]], ...] = (
    {"trial": "x" * 10_000},
    {"trial": "nobody"},
    {"trial": "'; DROP TABLE sample; --"},
    {"trial": "../../etc/passwd"},
    {"trial": "<script>alert(1)</script>"},
    {"trial": KILLED, "try": "99"},
    {"trial": KILLED, "try": "-1", "window": "a-b"},
    {"trial": KILLED, "window": "5-6"},
    {"trial": KILLED, "window": f"0-{'9' * 5000}"},
    {"agent": ["x" * 10_000, "nobody"], "cause": "no such cause", "q": "\0"},
    {"page": "99", "rows": "7", "sort": "; --", "order": "sideways", "cause": "none"},
)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    return folder_with(tmp_path_factory.mktemp("sweep") / "data", SOME, planned=9, finished=False)


def whole(app: AppTest) -> str:
    """What the page says, unescaped, after it was seen to have no trouble."""
    assert not app.exception
    assert not app.error
    return said(app).replace("\\", "")


def column(app: AppTest, name: str) -> list[str]:
    """A column of the page's table."""
    table = cast("Mapping[str, Iterable[object]]", app.dataframe[0].value)
    return [str(value) for value in table[name]]


def labels(app: AppTest) -> list[str]:
    return [str(link.proto.label).replace("\\", "") for link in app.get("page_link")]


def told(
    folder: Path, facts: Sequence[tuple[Payload, float]], *, trial: str = "e" * 12
) -> DataFolder:
    """A sweep of one trial, with these facts at these seconds."""
    data = folder_with(folder, [], name="one", finished=False)
    belongs = Belongs(sweep="s1", trial=trial, try_no=1, target=f"{trial}-1")
    begin_us = 1_780_000_000 * US_PER_S
    start = TrialStarted(
        task="t", task_digest="d", agent="a", condition="1x", attempt=1, host="h1", block=0
    )
    events = [Said(start, belongs, begin_us)]
    events += [Said(fact, belongs, begin_us + round(at * US_PER_S)) for fact, at in facts]
    Writer(open_log(data.log_url), source="r00000000002").write_many(events)
    with store.connect(data) as served:
        served.load()
    return data


def test_the_page_names_the_process_that_the_kernel_killed(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = explored(sweep, monkeypatch, "trial", trial=KILLED)
    text = whole(app)
    first = str(app.markdown[0].value).replace("\\", "")
    assert first.startswith("### The kernel killed python3 at its memory ceiling of 32 MiB")
    assert "computed under policy 1" in text
    assert "counts as an infra error" in text
    assert "sandbox exit 137" in text
    assert "Read only" in text
    assert len(specs(app)) == 2, "the autopsy and the pair"
    assert "killed at 1x, passed at 2x" in text


def test_a_trial_is_found_by_a_prefix_and_by_its_task(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "python3" in whole(explored(sweep, monkeypatch, "trial", trial=KILLED[:12]))
    several = whole(explored(sweep, monkeypatch, "trial", trial="sort"))
    assert "no one trial called 'sort'" in several


def test_without_a_trial_those_that_died_are_offered(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = explored(sweep, monkeypatch, "trial")
    assert "Which trial?" in whole(app)
    assert labels(app) == ["python3 in sort, brute, 1x", "All trials"]


def test_a_pass_and_a_failure_tell_their_own_stories(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = explored(sweep, monkeypatch, "trial", trial=PASSED)
    assert "It passed, after 5.0 s" in whole(passed)
    assert "killed at 1x, passed at 2x" in whole(passed), "the pair, from the other side"
    failed = whole(explored(sweep, monkeypatch, "trial", trial=FAILED))
    assert "no ceiling killed any" in failed
    assert "Memory did not end it" in failed


def test_a_running_trial_says_what_is_known_so_far(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = whole(explored(sweep, monkeypatch, "trial", trial=OPEN))
    assert "It has not ended" in text
    assert "no telemetry" in text
    assert "There is no verdict before the try has ended" in text
    assert "can be compared" in text


@pytest.mark.parametrize("address", BAD)
@pytest.mark.parametrize("page", ["trial", "trials"])
def test_a_broken_address_shows_a_page(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch, page: str, address: dict[str, str]
) -> None:
    app = explored(sweep, monkeypatch, page, **address)
    assert str(app.markdown[0].value).startswith("### ")
    assert "bug of ours" not in whole(app)


def test_a_window_is_read_anew_and_one_elsewhere_is_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = [
        (Sample(interval_us=US_PER_S, usage_bytes=n * MIB, peak_bytes=n * MIB), float(n))
        for n in range(1, 60)
    ]
    folder = told(tmp_path / "data", [(PhaseStarted(phase="agent"), 0.5), *reads])
    begin = 1_780_000_000 * US_PER_S
    near = f"{begin + 10 * US_PER_S}-{begin + 20 * US_PER_S}"
    app = explored(folder, monkeypatch, "trial", trial="e" * 12, window=near)
    whole(app)
    domain = json.dumps(specs(app)[0])
    assert '"domain": [10.0, 20.0]' in domain
    away = explored(folder, monkeypatch, "trial", trial="e" * 12, window="5-6")
    assert "not within the try" in whole(away)
    assert '"domain": [0.0, 59.0]' in json.dumps(specs(away)[0])


def test_one_sample_is_drawn_and_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Sample(interval_us=US_PER_S, usage_bytes=MIB, peak_bytes=MIB, peak_kind=1)
    folder = told(tmp_path / "data", [(one, 1.0)])
    text = whole(explored(folder, monkeypatch, "trial", trial="e" * 12))
    assert "one sample only" in text
    assert "since the sandbox began" in text


def test_twenty_thousand_commands_are_cut_with_a_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def command(number: int) -> ExecFinished:
        return ExecFinished(
            phase="agent",
            ordinal=number,
            command=f"step {number}",
            command_digest="d",
            command_truncated=False,
            started_t_us=1_780_000_000 * US_PER_S + number * 1000,
            duration_s=0.001,
            how="ok",
            exit_code=0,
        )

    folder = told(tmp_path / "data", [(command(n), n / 1000) for n in range(1, 20_001)])
    text = whole(explored(folder, monkeypatch, "trial", trial="e" * 12))
    assert "19,600 shorter commands are not drawn" in text
    assert "19988 more commands" in text.replace(",", "")
    assert "The first 1,000 of 20,000." in text


def test_every_one_of_many_kills_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kills = [
        (
            OomKill(
                ordinal=n + 1, counter_before=n, counter_after=n + 1, victim_comm=f"victim{n % 3}"
            ),
            n / 10,
        )
        for n in range(300)
    ]
    folder = told(tmp_path / "data", kills)
    app = explored(folder, monkeypatch, "trial", trial="e" * 12)
    assert "The kernel killed victim0, victim1 and victim2, 300 times" in whole(app)
    assert "victim2 ×" not in str(app.markdown[0].value)


def test_names_that_hurt_are_shown_and_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = [
        Tried(task=name, agent=name, condition=name, ended=ended)
        for name in NASTY
        for ended in ("killed", "passed")
    ]
    folder = folder_with(tmp_path / "data", trials, name=NASTY[2])
    pages = [explored(folder, monkeypatch, "trials")]
    pages += [explored(folder, monkeypatch, "trial", trial=f"{n:012x}") for n in (1, 3, 5, 7, 9)]
    pages.append(explored(folder, monkeypatch, "trials", task=NASTY[4], agent=NASTY[1]))
    for app in pages:
        text = said(app)
        whole(app)
        assert "**bold**" not in text
        assert "[link](" not in text
        assert "\u202e" not in text
        assert "x" * 120 not in text


def test_several_tries_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = DataFolder.create(tmp_path / "data")
    data.journal.mkdir(exist_ok=True)
    (data.journal / "golden.000000.jsonl").write_bytes(b"\n".join([*golden_lines(), b""]))
    with store.connect(data) as served:
        served.load()
    app = explored(data, monkeypatch, "trial", trial="98acae73f9fc")
    tries = ["Try 1: cancelled", "Try 2: completed, the outcome"]
    assert [label for label in labels(app) if "Try" in label] == tries
    assert "try 2 of 2" in whole(app)
    first = explored(data, monkeypatch, "trial", trial="98acae73f9fc", **{"try": "1"})
    assert "try 1 of 2" in whole(first)
    killed = explored(data, monkeypatch, "trial", trial=GOLDEN)
    assert "The kernel killed" in whole(killed)


def test_trials_lists_all_and_says_what_they_ended_in(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = explored(sweep, monkeypatch, "trials")
    text = whole(app)
    assert "4 trials: 1 passed, 1 were not solved, 1 died for memory, 1 run" in text
    assert "9 planned" in text
    assert column(app, "task") == ["diff", "diff", "sort", "sort"]
    assert all(link.startswith("trial?sweep=s1&trial=") for link in column(app, "trial"))


def test_filters_of_the_address_hold(sweep: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = explored(sweep, monkeypatch, "trials", cause="oom_container", agent="brute")
    assert column(memory, "victim") == ["python3"]
    assert "1 trial: 1 died for memory" in whole(memory)
    nothing = explored(sweep, monkeypatch, "trials", agent="thrifty", condition="2x")
    assert "No trial fits" in whole(nothing)
    assert labels(nothing) == ["Show all trials"]


def test_trials_come_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path / "data", [Tried(task=f"t{n:03d}") for n in range(120)])
    app = explored(
        folder, monkeypatch, "trials", page="3", sort="task", order="lowest, earliest first"
    )
    assert "101 to 120 of 120" in whole(app)
    assert column(app, "task")[0] == "t100"


def test_no_sweep_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = DataFolder.create(tmp_path / "data")
    for page in ("trial", "trials"):
        app = explored(folder, monkeypatch, page)
        assert "There is no trial" in whole(app)
        assert app.code[0].value == "barograph demo"
