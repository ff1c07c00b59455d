"""What of the host is shown inside, and what never is."""

import sys
from pathlib import Path

import pytest

from runner.sandboxes import machine
from runner.sandboxes.errors import SandboxRefusal


def test_programs_and_python_are_shown() -> None:
    files = machine.host_files()
    assert files.binds["/usr"] == "/usr"
    assert files.environment["PATH"].split(":")[-1] == "/bin"
    prefix = Path(sys.base_prefix).resolve()
    assert any(prefix.is_relative_to(bind) for bind in files.binds)
    assert set(files.environment) == {"PATH", "HOME", "USER", "LOGNAME", "LANG", "TAR_OPTIONS"}


def test_links_stay_links(tmp_path: Path) -> None:
    (tmp_path / "usr").mkdir()
    (tmp_path / "etc").mkdir()
    (tmp_path / "bin").symlink_to("usr/bin")
    files = machine.host_files(tmp_path)
    assert files.links["/bin"] == "usr/bin"
    assert files.binds[str(tmp_path / "etc")] == "/etc"
    assert "/sbin" not in {*files.links, *files.binds.values()}


def test_a_data_folder_that_tasks_could_see_is_refused() -> None:
    files = machine.host_files()
    with pytest.raises(SandboxRefusal, match="/usr"):
        machine.refuse_if_shown(Path("/usr/local/data"), files)
    machine.refuse_if_shown(Path("/var/lib/data"), files)


def test_the_machine_is_told() -> None:
    assert machine.memory_bytes() > 1 << 20
    model = machine.cpu_model()
    assert model is None or model.strip() == model
