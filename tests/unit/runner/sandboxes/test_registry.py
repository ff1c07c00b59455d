"""Drivers are found by name; what does not exist is answered with what does."""

from pathlib import Path

import pytest

from barograph.errors import ExitCode
from runner.sandboxes import registry, rootless
from runner.sandboxes.errors import SandboxInputError, SandboxRefusal
from runner.sandboxes.port import DriverContext

CONTEXT = DriverContext(folder_id="x", scratch=Path("scratch"), records=Path("records"))


def test_an_unknown_name_lists_what_exists() -> None:
    with pytest.raises(SandboxInputError, match="local"):
        registry.open_driver("podman", CONTEXT)
    assert registry.names() == ["local"]


def test_whoever_is_not_root_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(SandboxRefusal) as refused:
        registry.open_driver("local", CONTEXT)
    assert refused.value.exit_code is ExitCode.ENVIRONMENT
    assert refused.value.remedy == rootless.REMEDY
    assert "\n" not in str(refused.value)
