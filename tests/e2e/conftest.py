"""The real program on a real kernel: one small sweep, run once, that all tests here ask about."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.needs import need_cgroup_v1
from tests.repo.tree import ROOT

PROGRAM = str(Path(sys.executable).with_name("barograph"))
SMALL = ROOT / "examples" / "small.toml"
TIMEOUT_S = 180.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How one run of the program ended."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        """Standard output as the one JSON document that it must be."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    def complained(self, code: int, *parts: str) -> None:
        """It said one sentence on standard error that holds these parts, and nothing else."""
        assert self.code == code, self.err
        assert self.out == ""
        lines = self.err.splitlines()
        assert lines, "it said nothing"
        assert lines[-1].startswith("barograph: ")
        assert "Traceback" not in self.err
        for part in parts:
            assert part in lines[-1], lines[-1]


def barograph(
    *arguments: str | Path, env: Mapping[str, str] | None = None, prefix: tuple[str, ...] = ()
) -> Ended:
    """Run the program as a user would, without a terminal."""
    ended = subprocess.run(
        [*prefix, PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **(env or {})},
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


@pytest.fixture(scope="session")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in which ``examples/small.toml`` has run to its end."""
    need_cgroup_v1()
    folder = tmp_path_factory.mktemp("sweep") / "data"
    ended = barograph("run", SMALL, "--dir", folder, "--json")
    assert ended.code == 0, ended.err
    assert ended.answer["reason"] == "complete"
    return folder


@pytest.fixture
def copied(sweep: Path, tmp_path: Path) -> Path:
    """A copy of that folder's journal, to be broken."""
    folder = tmp_path / "data"
    shutil.copytree(sweep / "journal", folder / "journal")
    return folder
