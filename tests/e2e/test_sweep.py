"""Run, load, report, why, status, verify: the main job, asked for as a user would."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import PROGRAM, SMALL, barograph
from tests.repo.tree import ROOT
from tests.servers import stop_servers

KEYS = {
    "report": {"sweep", "name", "verdict", "statements", "guards", "curve", "analysis", "policy"},
    "status": {"sweep", "running", "kills", "conditions", "store", "audit", "collector_pid"},
    "verify": {"ok", "faults", "log", "kills_counted", "kills_told", "hosts"},
    "load": {"report", "store", "seconds", "lag_s"},
    "why": {"about", "failures"},
}


def killed_trial(sweep: Path) -> str:
    """A trial that its ceiling killed, as ``why SWEEP`` names it."""
    failures = barograph("why", "--dir", sweep, "--json").answer["failures"]
    cause = next(one for one in failures["by_cause"] if one["cause"] == "oom_container")
    return str(cause["examples"][0])


def test_infra_errors_fall_with_the_ceiling(sweep: Path) -> None:
    found = barograph("report", "--dir", sweep, "--json").answer
    tight, wide = found["curve"]
    assert (tight["condition"], wide["condition"]) == ("1x", "3x")
    assert tight["infra_rate"] > wide["infra_rate"]
    assert tight["infra_ci_low"] < tight["infra_rate"] < tight["infra_ci_high"]
    assert found["verdict"].startswith("Infra errors")
    assert found["trials_done"] == found["trials_planned"] == 24


def test_a_report_is_the_same_whenever_it_is_asked_for(sweep: Path) -> None:
    first, second = (barograph("report", "--dir", sweep, "--json") for _ in range(2))
    assert first.out == second.out


@pytest.mark.parametrize("command", KEYS)
def test_every_answer_is_one_document_of_a_known_shape(command: str, sweep: Path) -> None:
    ended = barograph(command, "--dir", sweep, "--json")
    assert ended.code == 0, ended.err
    assert ended.answer["kind"] == command
    assert ended.answer["v"] == 1
    assert ended.answer.keys() >= KEYS[command]


@pytest.mark.parametrize("command", KEYS)
def test_a_pipe_gets_plain_text(command: str, sweep: Path) -> None:
    ended = barograph(command, "--dir", sweep)
    assert ended.code == 0, ended.err
    assert ended.err == ""
    assert "\x1b" not in ended.out
    assert ended.out.strip()
    assert all(line == line.rstrip() for line in ended.out.splitlines())


def test_why_names_the_killed_process_in_one_command(sweep: Path) -> None:
    trial = killed_trial(sweep)
    told = barograph("why", trial[:6], "--dir", sweep, "--json").answer
    assert told["trial"] == trial
    assert told["verdict"]["cause"] == "oom_container"
    (kill,) = [said for said in told["happened"] if said["text"].startswith("The kernel killed")]
    assert "python3 (pid " in kill["text"]
    assert "in phase agent, command " in kill["text"]
    assert "solve.py" in kill["text"]
    assert all(said["evidence"] for said in told["happened"])
    assert told["enough"]["at_least_bytes"] == told["memory"]["ceiling_bytes"]
    assert told["facts"]["kills"]


def test_a_trial_can_be_named_by_what_it_is(sweep: Path) -> None:
    row = barograph("why", killed_trial(sweep), "--dir", sweep, "--json").answer
    name = f"{row['task']}/{row['agent']}/{row['condition']}/{row['attempt']}"
    assert barograph("why", name, "--dir", sweep, "--json").answer["trial"] == row["trial"]


def test_a_name_of_several_or_of_none_is_refused(sweep: Path) -> None:
    barograph("why", "diff", "--dir", sweep).complained(2, "8 trials are called that", "diff/")
    barograph("why", "nothing", "--dir", sweep).complained(5, "no such trial or sweep")
    barograph("report", "nothing", "--dir", sweep).complained(5, "no such sweep")
    trial = killed_trial(sweep)
    barograph("why", trial, "--try", "9", "--dir", sweep).complained(5, "no such try")


def test_everything_is_accounted_for(sweep: Path) -> None:
    found = barograph("verify", "--dir", sweep, "--json").answer
    assert found["ok"]
    assert found["kills_counted"] == found["kills_told"] > 0
    assert found["kills_wrong"] == found["kills_uncounted"] == []
    (host,) = found["hosts"]
    assert host["attributed"] + host["outside"] == found["kills_told"]


def test_the_same_command_again_has_nothing_to_do(sweep: Path) -> None:
    ended = barograph("run", SMALL, "--dir", sweep, "--json")
    assert ended.code == 0, ended.err
    assert (ended.answer["trials_done"], ended.answer["trials_done_here"]) == (24, 0)


def test_another_sweep_on_the_same_folder_is_refused(sweep: Path) -> None:
    other = ROOT / "examples" / "ceilings.toml"
    barograph("run", other, "--dir", sweep).complained(2, "holds sweep 'small'", "--dir")


def test_a_deleted_database_is_built_again(copied: Path) -> None:
    first = barograph("report", "--dir", copied, "--json")
    (copied / "barograph.duckdb").unlink()
    assert barograph("report", "--dir", copied, "--json").out == first.out
    assert barograph("load", "--rebuild", "--dir", copied, "--json").answer["report"]["events"] > 0


def test_markdown_has_the_verdict_and_the_table(sweep: Path) -> None:
    text = barograph("report", "--markdown", "--dir", sweep).out
    assert text.startswith("# small\n\nInfra errors")
    assert "| 1x | 12 |" in text


def test_a_reader_that_goes_away_is_no_failure_of_ours(sweep: Path) -> None:
    code = f"{PROGRAM} report --dir {sweep}; echo code $? >&2"
    ended = subprocess.run(
        ["sh", "-c", f"{{ {code}; }} | true"], capture_output=True, text=True, check=True
    )
    # 0 when the pipe took all of it before the reader went.
    assert ended.stderr in {"code 0\n", "code 141\n"}


HOLD = """
import sys
from pathlib import Path
from store.database import open_database
with open_database(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
OWN = """
import sys
from barograph.folder import DataFolder
from runner.ownership import owned
with owned(DataFolder.create(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("command", ["status", "why", "report", "verify", "load"])
def test_a_held_database_is_said_plainly_with_the_pid(command: str, sweep: Path) -> None:
    stop_servers(sweep)  # it has the database open itself
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(sweep / "barograph.duckdb")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        barograph(command, "--dir", sweep).complained(3, str(holder.pid), "when it has ended")
        holder.communicate()


def test_a_second_campaign_on_the_folder_is_refused_with_the_pid(sweep: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWN, str(sweep)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"held\n"
        barograph("run", SMALL, "--dir", sweep).complained(3, str(owner.pid), "--dir")
        status = barograph("status", "--dir", sweep, "--json").answer
        assert status["campaign_pid"] == owner.pid
        owner.communicate()
