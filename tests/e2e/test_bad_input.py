"""Input broken in every way we can think of, through the real program.

Each ends as one sentence that names where, what and how to mend it, with a documented exit
code, nothing on standard output, and never a traceback. Broken sweep files are many, so they
go through ``ui.cli.main.run`` in this process: the whole program but for its start.
"""

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.conftest import SMALL, barograph
from tests.needs import need_program, need_root
from tests.sweep_files import SWEEP_TOML, TASK_TOML, changed, write_sweep, write_task
from ui.cli import main

SENTENCES = [
    # (in the sweep file, what is put there, what the sentence must name)
    ('name = "small"', "", ["sweep.name", "missing"]),
    ('name = "small"', 'name = "a b"', ["sweep.name", "'a b'"]),
    ("[sweep]", "[swep]", ["sweep"]),
    ("seed = 7", "seed = -1", ["sweep.seed", "-1"]),
    ("seed = 7", 'seed = "seven"', ["sweep.seed", "seven"]),
    ("seed = 7", "sead = 7", ["sead", "seed"]),
    ("attempts = 2", "attempts = 0", ["sweep.attempts", "0"]),
    ("attempts = 2", "attempts = 9999999", ["sweep.attempts"]),
    ("concurrency = 4", "concurrency = 0", ["sweep.concurrency", "0"]),
    ("concurrency = 4", 'timezone = "Mars/Olympus"', ["sweep.timezone", "Mars/Olympus"]),
    ("concurrency = 4", 'oom_scope = "world"', ["sweep.oom_scope", "world"]),
    ("concurrency = 4", 'parent_cap = "2GB"', ["sweep.parent_cap", "2GB", "2G"]),
    ("concurrency = 4", 'parent_cap = "1M"', ["sweep.parent_cap"]),
    ('paths = ["tasks/*"]', 'paths = ["nothing/*"]', ["tasks.paths", "nothing/*"]),
    ('paths = ["tasks/*"]', "paths = []", ["tasks.paths"]),
    ('paths = ["tasks/*"]', 'paths = ["tasks/*"]\ninclude = ["x"]', ["tasks.include", "x"]),
    ('name = "nop"', 'name = "gpt"', ["gpt", "oracle"]),
    ('name = "nop"', 'name = "oracle"', ["oracle"]),
    ('name = "nop"', 'name = "a"\ncommand = ["no-such-program"]', ["no-such-program"]),
    ('name = "nop"', 'name = "a"\ncommand = []', ["command"]),
    ('name = "nop"', 'name = "nop"\nenv = ["KEY=1"]', ["env", "KEY=1"]),
    ('name = "roomy"', 'name = "1x"', ["1x"]),
    ('memory = "1x"', "", ["memory", "missing"]),
    ('memory = "1x"', 'memory = "-1x"', ["memory", "-1x"]),
    ('memory = "1x"', 'memory = "0x"', ["memory", "0x"]),
    ('memory = "1x"', "memory = 0", ["memory", "0"]),
    ('memory = "1x"', 'memory = "2GB"', ["memory", "2GB", "2G"]),
    ('memory = "1x"', 'memory = "1"', ["memory"]),
    ('memory = "1x"', "memory = true", ["memory"]),
    ('memory = "1x"', "memory = { floor = '2x', ceiling = '1x' }", ["ceiling", "floor"]),
    ('memory = "1x"', "memory = { floor = '1x' }", ["ceiling"]),
    ('memory = "1x"', "memory = { ceiling = '9999999x' }", ["9999999x"]),
    ('memory = "1x"', "memory = '1x'\ntimeout_multiplier = -2", ["timeout_multiplier", "-2"]),
    ('memory = "1x"', "memory = '1x'\ncpu = 'fast'", ["cpu", "fast"]),
    ('memory = "1x"', "memory = '1x'\nmemry = '2x'", ["memry", "memory"]),
]


def refused(file: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a sweep that must be refused as wrong input; returns the sentence."""
    code = main.run(["run", str(file), "--dir", str(folder)])
    said = capsys.readouterr()
    assert code == 2, said.err
    assert said.out == ""
    assert said.err.startswith("barograph: ")
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    assert not list(folder.glob("journal/*.jsonl"))
    return said.err


@pytest.mark.parametrize(("good", "bad", "named"), SENTENCES)
def test_a_broken_sweep_file_is_one_sentence(
    good: str, bad: str, named: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_sweep(tmp_path, toml=changed(SWEEP_TOML, good, bad), tasks=("one",))
    sentence = refused(file, tmp_path / "data", capsys)
    for part in [str(file), *named]:
        assert part in sentence


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\xff\xfe", b"[sweep", b"x = " + b"[" * 5000, "Ω = 'ß'".encode("utf-16")],
    ids=["empty", "binary", "cut", "nested", "utf16"],
)
def test_what_is_no_toml_at_all_is_one_sentence(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sweep.toml"
    file.write_bytes(content)
    assert str(file) in refused(file, tmp_path / "data", capsys)


def test_a_sweep_file_that_is_a_folder_or_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (tmp_path, tmp_path / "none.toml"):
        assert str(file) in refused(file, tmp_path / "data", capsys)


TASKS = [
    ("local = true", "local = false", ["metadata.barograph.local"]),
    ("memory_mb = 64", 'memory = "2GB"', ["environment.memory", "2GB"]),
    ("memory_mb = 64", "memory_mb = -1", ["environment.memory_mb", "-1"]),
    ("memory_mb = 64", "", ["1x", "[spec]"]),
    ("cpus = 1", "gpus = 1", ["environment.gpus", "not supported"]),
    ("timeout_sec = 20", "timeout_sec = 0", ["timeout_sec"]),
    ("cpus = 1", 'workdir = "/etc"', ["environment.workdir", "/etc"]),
    ('schema_version = "1.1"', 'schema_version = "9.9"', ["schema_version", "9.9"]),
    ("[agent]", "[agnt]", ["agnt"]),
]


@pytest.mark.parametrize(("good", "bad", "named"), TASKS)
def test_a_broken_task_is_one_sentence(
    good: str, bad: str, named: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_task(tmp_path / "tasks" / "one", toml=changed(TASK_TOML, good, bad))
    file = write_sweep(tmp_path, tasks=())
    sentence = refused(file, tmp_path / "data", capsys)
    for part in named:
        assert part in sentence


@pytest.mark.parametrize("part", ["tests/test.sh", "instruction.md", "task.toml", "solution"])
def test_a_task_without_a_part_is_one_sentence(
    part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = write_task(tmp_path / "tasks" / "one")
    path = task / part
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    sentence = refused(write_sweep(tmp_path, tasks=()), tmp_path / "data", capsys)
    assert "one" in sentence
    assert part.split("/", maxsplit=1)[0] in sentence


def test_a_folder_that_is_a_file_or_holds_nothing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    barograph("run", SMALL, "--dir", file).complained(2, "--dir", "not a folder")
    for command in ("status", "report", "why", "verify", "load"):
        barograph(command, "--dir", tmp_path / "none").complained(5, "no journal")


def broken_journal(folder: Path) -> None:
    """Every kind of damage beside the good files of a sweep, and a torn end."""
    journal = folder / "journal"
    first = next(journal.glob("r*.jsonl"))
    lines = first.read_bytes().splitlines(keepends=True)
    (journal / "xbinary.000000.jsonl").write_bytes(os.urandom(5000) + b"\n")
    (journal / "xempty.000000.jsonl").write_bytes(b"")
    (journal / "xhuge.000000.jsonl").write_bytes(b'{"v":1,"type":"' + b"x" * (2 << 20) + b'"}\n')
    (journal / "xmixed.000000.jsonl").write_bytes(lines[0][:80] + lines[1] + lines[2][40:])
    (journal / "xtorn.000000.jsonl").write_bytes(lines[0][:-20])
    (journal / "xnull.000000.jsonl").write_bytes(b"null\n[]\n{}\n\n")


def test_a_damaged_journal_is_loaded_as_far_as_it_goes(copied: Path) -> None:
    good = barograph("report", "--dir", copied, "--json")
    (copied / "barograph.duckdb").unlink()
    broken_journal(copied)
    loaded = barograph("load", "--dir", copied, "--json")
    assert loaded.code == 0, loaded.err
    # The server that lives meanwhile may have loaded it before it was asked to.
    assert loaded.answer["store"]["dead_letters"] >= 5
    assert barograph("report", "--dir", copied, "--json").answer["curve"] == good.answer["curve"]
    assert "no events" in barograph("load", "--dir", copied).out
    verified = barograph("verify", "--dir", copied, "--json")
    assert verified.answer["log"]["dead_letters"] >= 5
    assert verified.answer["log"]["torn_tails"]


def test_a_line_that_is_missing_is_found_and_named(copied: Path) -> None:
    file = next((copied / "journal").glob("r*.jsonl"))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:20] + lines[21:]))
    ended = barograph("verify", "--dir", copied)
    assert ended.code == 6
    assert "1 thing does not add up" in ended.out
    assert f"never seen: {file.name.split('.')[0]} 20" in ended.out


def test_a_journal_that_was_shortened_is_refused(copied: Path) -> None:
    assert barograph("load", "--dir", copied).code == 0
    file = next((copied / "journal").glob("r*.jsonl"))
    os.truncate(file, 1000)
    barograph("status", "--dir", copied).complained(4, file.name, "never shortened")


def test_a_database_that_is_none_is_refused_with_what_to_do(copied: Path) -> None:
    (copied / "barograph.duckdb").write_bytes(b"not a database, but longer than nothing\n" * 200)
    barograph("status", "--dir", copied).complained(2, "no store", "rebuilt from the log")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Generator[Path]:
    """A file system of 1 MiB."""
    need_root()
    need_program("mount")
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", place], check=True)
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_is_one_sentence_and_loses_nothing(sweep: Path, tiny_disk: Path) -> None:
    shutil.copytree(sweep / "journal", tiny_disk / "data" / "journal", ignore=_reserve)
    with (tiny_disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(bytes(4096)):
            pass
    barograph("load", "--dir", tiny_disk / "data").complained(4, "no room")
    assert list((tiny_disk / "data" / "journal").glob("r*.jsonl"))


def test_a_read_only_folder_is_one_sentence(sweep: Path, tiny_disk: Path) -> None:
    shutil.copytree(sweep / "journal", tiny_disk / "data" / "journal", ignore=_reserve)
    subprocess.run(["mount", "-o", "remount,ro", tiny_disk], check=True)
    barograph("status", "--dir", tiny_disk / "data").complained(4)
    barograph("run", SMALL, "--dir", tiny_disk / "new").complained(4, "read-only", "--dir")
    doctor = barograph("doctor", "--dir", tiny_disk / "data", "--json")
    states = {check["name"]: check["state"] for check in doctor.answer["checks"]}
    assert states["data folder"] == "fail"
    assert doctor.code == 4


def _reserve(_folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name == ".reserve"}


# Not root, but allowed to read everything, so that the test does not depend on where Python lies.
NOBODY = (
    *("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"),
    *("--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"),
)


def test_without_root_a_sweep_is_refused_and_the_doctor_says_why(tmp_path: Path) -> None:
    need_root()
    need_program("setpriv")
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents[:2]:
        parent.chmod(0o755)
    folder = tmp_path / "data"
    ended = barograph("run", SMALL, "--dir", folder, prefix=NOBODY)
    ended.complained(4, "root")
    doctor = barograph("doctor", "--dir", folder, "--json", prefix=NOBODY)
    assert doctor.code == 4
    assert doctor.answer["checks"][0]["state"] == "fail"
