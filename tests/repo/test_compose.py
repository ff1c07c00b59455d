"""compose.yaml: nothing secret in it, everything pinned and bounded, root where it says why."""

import re
from typing import Any

import pytest
import yaml

import barograph
from tests.repo.tree import ROOT

TEXT = (ROOT / "compose.yaml").read_text()
FILE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
SECRET = re.compile(r"password|secret|token|credential|api.?key", re.IGNORECASE)
LOOPBACK = re.compile(r"\$\{\w+:-127\.0\.0\.1\}:\$\{\w+:-\d+\}:\d+")

services = pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)


def dockerfile(service: dict[str, Any]) -> str:
    build = service["build"]
    name = f"{build}/Dockerfile" if isinstance(build, str) else build["dockerfile"]
    return (ROOT / name).read_text()


def test_the_services_are_those_of_the_document() -> None:
    assert set(SERVICES) == {"kafka", "pod", "serve", "explorer", "collector"}


@services
def test_a_service_is_bounded_watched_and_started_again(service: dict[str, Any]) -> None:
    assert service["restart"] == "unless-stopped"
    assert service["healthcheck"]["test"][0] == "CMD"
    assert {"interval", "timeout"} <= service["healthcheck"].keys()
    assert {"mem_limit", "pids_limit"} <= service.keys()
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}


@services
def test_an_image_and_what_it_is_made_from_are_pinned(service: dict[str, Any]) -> None:
    pinned = re.compile(r"[a-z0-9./-]+:\d+\.\d+\.\d+[a-z-]*")
    (base,) = re.findall(r"^FROM (\S+)$", dockerfile(service), re.MULTILINE)
    assert pinned.fullmatch(service["image"])
    assert pinned.fullmatch(base)


def test_versions_agree() -> None:
    ours = {name: service["image"] for name, service in SERVICES.items() if name != "kafka"}
    assert set(ours.values()) == {f"barograph:{barograph.__version__}"}
    tested = re.search(
        r"<artifactId>kafka_\S+\s+<version>(\S+)</version>",
        (ROOT / "tests" / "services" / "pom.xml").read_text(),
    )
    assert tested is not None
    assert SERVICES["kafka"]["image"] == f"barograph-kafka:{tested[1]}"
    assert f"FROM apache/kafka:{tested[1]}\n" in dockerfile(SERVICES["kafka"])


@services
def test_rights_are_given_up(service: dict[str, Any]) -> None:
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service.get("privileged")
    users = re.findall(r"^USER (\S+)$", dockerfile(service), re.MULTILINE)
    assert users[-1] not in {"root", "0"}


def test_only_the_collector_is_root_and_keeps_two_rights() -> None:
    assert [name for name, one in SERVICES.items() if "user" in one] == ["collector"]
    assert [name for name, one in SERVICES.items() if "cap_add" in one] == ["collector"]
    assert SERVICES["collector"]["cap_add"] == ["SYSLOG", "SYS_NICE"]


def test_ports_are_published_on_loopback_unless_told_otherwise() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert len(ports) == 2
    assert [port for port in ports if not LOOPBACK.fullmatch(port)] == []


def test_no_secret_is_in_it() -> None:
    """Whatever is called so is a variable of the environment, or a file that comes from one."""
    assert all(set(secret) == {"environment"} for secret in FILE["secrets"].values())
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            assert not SECRET.search(name) or (
                name.endswith("_FILE") and value.startswith("/run/secrets/")
            )
        assert not SECRET.search(str(service.get("command")))
    assert re.findall(r"\$\{\w*(?:PASSWORD|SECRET|TOKEN)\w*:?[-=]", TEXT) == []
