"""``collect`` beside a cgroup of somebody else's: what it saw, and that it left it alone."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.e2e.conftest import PROGRAM, barograph
from tests.e2e.test_documented_shapes import ALWAYS, listed
from tests.needs import CGROUP_ROOT, need_cgroup_v1

MIB = 1 << 20
SPIKE = "import sys, time; x = bytearray(int(sys.argv[1])); time.sleep(0.2)"


@pytest.fixture
def cgroup() -> Generator[Path]:
    """A memory cgroup with a ceiling of 48 MiB."""
    need_cgroup_v1("memory")
    folder = CGROUP_ROOT / "memory" / f"barograph-test-collect-{os.getpid()}"
    folder.mkdir()
    (folder / "memory.limit_in_bytes").write_text(str(48 * MIB))
    yield folder
    folder.rmdir()


def spikes(cgroup: Path, *sizes: int) -> None:
    """Spikes of these sizes, each in a process of its own in the cgroup."""
    for size in sizes:
        script = f"echo $$ > {cgroup}/cgroup.procs; exec {sys.executable} -c '{SPIKE}' {size}"
        subprocess.run(["sh", "-c", script], stderr=subprocess.DEVNULL, check=False)
        time.sleep(1.2)


def test_a_foreign_cgroup_is_watched_to_its_end(cgroup: Path, tmp_path: Path) -> None:
    arguments = ("--cgroup", cgroup, "--reset-peaks", "--dir", tmp_path, "--json")
    with subprocess.Popen(
        [PROGRAM, "collect", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watching:
        assert watching.stderr is not None
        assert watching.stderr.readline().startswith("watching 1 cgroup")
        spikes(cgroup, 20 * MIB, 90 * MIB)
        watching.send_signal(signal.SIGINT)
        out, err = watching.communicate(timeout=30)
    assert watching.returncode == 0, err
    answer = json.loads(out)
    assert answer.keys() - ALWAYS == listed("collect")
    (target,) = answer["targets"]
    assert target["samples"] >= 2
    assert target["limit_bytes"] == 48 * MIB
    assert target["highest_bytes"] >= 40 * MIB
    (kill,) = target["kills"]
    assert kill["comm"].startswith("python")
    assert "python" in err


def test_what_is_no_cgroup_is_refused(tmp_path: Path) -> None:
    need_cgroup_v1("memory")
    barograph("collect", "--cgroup", "/no/such", "--dir", tmp_path).complained(5, "/no/such")


def test_the_machine_alone_is_watched_until_the_collector_ends(tmp_path: Path) -> None:
    barograph("collect", "--status", "--dir", tmp_path).complained(5)
    with subprocess.Popen(
        [PROGRAM, "collect", "--dir", str(tmp_path)], stderr=subprocess.PIPE, text=True
    ) as watching:
        assert watching.stderr is not None
        assert watching.stderr.readline().startswith("watching this machine")
        found = barograph("collect", "--status", "--dir", tmp_path, "--json").answer
        assert (found["watched"], found["shipping"]) == ([], None)
        os.kill(found["pid"], signal.SIGKILL)
        _, err = watching.communicate(timeout=30)
    assert watching.returncode == 4
    assert "the collector ended" in err
    barograph("collect", "--status", "--dir", tmp_path).complained(4, "no collector answers")


def test_the_machine_alone_is_watched_for_so_long(tmp_path: Path) -> None:
    ended = barograph("collect", "--for", "1.5", "--dir", tmp_path, "--json")
    assert ended.answer["targets"] == []
    text = "".join(path.read_text() for path in (tmp_path / "journal").glob("*.jsonl"))
    assert "host.sample" in text
