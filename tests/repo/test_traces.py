"""Nothing that is committed depends on where it was written, or on whose index served it."""

import re

import pytest

from tests.repo.tree import ROOT, files, shown

# Written in pieces, so that this file does not break its own rule.
INDEX_HOSTS = (
    "pypi" + ".org",
    "python" + "hosted.org",
    "crates" + ".io",
    "proxy." + "golang.org",
    "npm" + "js.org",
    "maven" + ".org",
    "maven" + ".apache.org",
    "debian" + ".org",
    "ubuntu" + ".com",
)
PATHS_HERE = (
    "/wo" + "rk/main",
    "/wo" + "rk/shared",
    "/wo" + "rk/.lib",
    "/root/" + ".",
    "/tmp/" + "bg",
)
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))


def lines_with(*words: str) -> list[str]:
    found: list[str] = []
    for path in files():
        text = path.read_bytes().decode(errors="replace")
        if any(word in text for word in words):
            for number, line in enumerate(text.splitlines(), 1):
                found += [f"{shown(path)}:{number} {word}" for word in words if word in line]
    return found


def test_no_file_names_the_host_of_an_index() -> None:
    assert lines_with(*INDEX_HOSTS) == []


def test_no_file_names_a_path_of_one_machine() -> None:
    assert lines_with(*PATHS_HERE) == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_has_hashes_and_no_address(lock: object) -> None:
    text = (ROOT / "requirements" / str(lock)).read_text()
    assert "://" not in text
    assert not re.search(r"^ *(-i|-f|--\S*(index|find-links)\S*)", text, re.MULTILINE)
    pinned = re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE)
    hashed = re.findall(r"^[a-z0-9-]+==[^\n]*\\\n    --hash=sha256:", text, re.MULTILINE)
    assert pinned
    assert len(hashed) == len(pinned)


def test_the_locks_agree() -> None:
    """What runs in a test is what runs for a user."""
    pins = [
        set(re.findall(r"^([a-z0-9-]+==\S+)", lock.read_text(), re.MULTILINE))
        for lock in LOCKS
        if lock.stem in {"run", "dev"}
    ]
    dev, run = pins
    assert run <= dev
