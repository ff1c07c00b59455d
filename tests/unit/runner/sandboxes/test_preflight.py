"""Machines that could not make a sandbox are refused once, with what they lack."""

from pathlib import Path

import pytest

from runner.sandboxes import preflight
from runner.sandboxes.errors import SandboxRefusal

WHOLE = "         0          0 4294967295\n"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "self").mkdir()
    (tmp_path / "sys" / "user").mkdir(parents=True)
    (tmp_path / "self" / "status").write_text("Uid:\t0\nCapEff:\t000001fffeffffff\nSeccomp:\t0\n")
    (tmp_path / "self" / "uid_map").write_text(WHOLE)
    (tmp_path / "sys" / "user" / "max_user_namespaces").write_text("96365\n")
    return tmp_path


def test_an_able_machine_passes(proc: Path) -> None:
    for release in ("5.12.0", "6.18.44-fc-v657", "6.12.117+deb12-cloud-amd64", "7.0"):
        preflight.refuse_if_unable(proc, release)


def test_an_old_kernel_is_refused(proc: Path) -> None:
    for release in ("5.10.0-23-amd64", "4.19"):
        with pytest.raises(SandboxRefusal, match=r"5\.12"):
            preflight.refuse_if_unable(proc, release)


def test_a_container_of_docker_is_refused(proc: Path) -> None:
    (proc / "self" / "status").write_text("CapEff:\t00000000a80425fb\n")
    with pytest.raises(SandboxRefusal, match="CAP_SYS_ADMIN"):
        preflight.refuse_if_unable(proc, "6.1")


def test_root_of_a_user_namespace_is_refused(proc: Path) -> None:
    (proc / "self" / "uid_map").write_text("         0     100000      65536\n")
    with pytest.raises(SandboxRefusal, match="user namespace"):
        preflight.refuse_if_unable(proc, "6.1")


def test_forbidden_user_namespaces_are_refused(proc: Path) -> None:
    (proc / "sys" / "user" / "max_user_namespaces").write_text("0\n")
    with pytest.raises(SandboxRefusal, match="max_user_namespaces"):
        preflight.refuse_if_unable(proc, "6.1")
