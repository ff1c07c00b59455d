"""Importing a module has no effects: it writes nothing, prints nothing, starts nothing.

One child imports every module of every package, under an audit hook that hears each file
opened for writing, each folder made, each process, socket and thread. A module whose import
must not happen twice, or that acts when imported, would be found here by its name.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.repo.tree import PACKAGES, ROOT, below

CHILD = """
import importlib, json, os, signal, sys, threading, warnings

LOUD = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate",
        "os.chmod", "os.chown", "os.putenv", "os.unsetenv", "os.fork", "os.forkpty", "os.exec",
        "os.posix_spawn", "os.system", "os.kill", "subprocess.Popen", "socket.bind",
        "socket.connect", "signal.pthread_kill", "shutil.rmtree", "sqlite3.connect"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
current, effects = None, []

def hear(event, arguments):
    loud = event in LOUD
    if event == "open":
        path, mode, flags = arguments
        loud = path != os.devnull and isinstance(flags, int) and bool(flags & WRITES)
    if loud and current is not None:
        effects.append([current, event, repr(arguments)[:200]])

def state():
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    return os.getcwd(), dict(os.environ), threading.active_count(), list(map(repr, handlers))

# Others answer for their own imports: numpy sets and unsets a variable of OpenBLAS,
# Streamlit tells matplotlib by one to open no window, kafka reads its schemas in an old way.
import numpy
import streamlit
with warnings.catch_warnings(action="ignore"):
    import kafka

sys.addaudithook(hear)
for current in json.loads(sys.argv[1]):
    before = state()
    importlib.import_module(current)
    if state() != before:
        effects.append([current, "state", "folder, environment, threads or signals changed"])
current = None
with open(sys.argv[2], "w") as result:
    json.dump(effects, result)
"""


def modules() -> list[str]:
    names: list[str] = []
    for path in below(*PACKAGES, suffix=".py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def test_importing_any_module_has_no_effects(tmp_path: Path) -> None:
    result, folder = tmp_path / "result.json", tmp_path / "folder"
    folder.mkdir()
    child = subprocess.run(
        [sys.executable, "-W", "error", "-c", CHILD, json.dumps(modules()), str(result)],
        cwd=folder,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stdout, child.stderr) == (0, "", "")
    assert json.loads(result.read_text()) == []
    assert list(folder.iterdir()) == []
