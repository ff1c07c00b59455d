"""compose.yaml as a lab runs it: a real engine, real containers, a sweep through them, a browser.

The engine has a network of its own, so the ports are those of the file, and only base images are
made here (``bases``), under the names that the Dockerfiles give them. The sweep runs beside the
containers, as it would on a lab's machine.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser

from tests.browser import SETTLED_MS, Tab, browser, tab
from tests.compose import bases
from tests.e2e.conftest import barograph
from tests.needs import need_cgroup_v1, need_kmsg, need_program
from tests.repo.tree import ROOT
from tests.services import docker
from tests.services.docker import Engine

PASSWORD: Final = "correct horse battery"  # noqa: S105 - of this test alone
WITHIN_S: Final = 120.0
EXPLORER: Final = "http://127.0.0.1:8501"
SERVICES: Final = {"kafka", "pod", "serve", "explorer", "collector"}


class Lab:
    """The file's project."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.env = {"BAROGRAPH_EXPLORER_PASSWORD": PASSWORD}

    def compose(self, *words: str) -> str:
        return self.engine.docker("compose", *words, cwd=ROOT, env=self.env)

    def container(self, service: str) -> dict[str, Any]:
        found = self.engine.looked_at("container", f"barograph-{service}-1")
        assert found is not None, service
        return found

    def is_healthy(self, service: str) -> bool:
        state = self.container(service)["State"]
        return bool(state["Running"] and state["Health"]["Status"] == "healthy")

    def ask(self, service: str, *words: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(
            self.compose("exec", "-T", service, "barograph", *words, "--json")
        )
        return answer


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Generator[Engine]:
    need_cgroup_v1()
    need_kmsg()
    need_program(*docker.PROGRAMS, *bases.PROGRAMS, "chromium")
    compose, parts = docker.compose(), bases.parts()
    with docker.own_network(), Engine(tmp_path_factory.mktemp("engine"), compose) as running:
        bases.make_bases(running, tmp_path_factory.mktemp("bases"), parts)
        yield running


@pytest.fixture(scope="module")
def lab(engine: Engine) -> Generator[Lab]:
    running = Lab(engine)
    try:
        began = engine.ran("compose", "up", "--build", "--wait", cwd=ROOT, env=running.env)
        said = f"{began.stdout[-4000:]}{began.stderr[-8000:]}"
        assert began.returncode == 0, f"{said}{running.compose('logs', '--tail', '50')}"
        yield running
    finally:
        running.compose("down", "--volumes")
    assert engine.docker("ps", "--all", "--quiet") == ""
    assert engine.docker("volume", "ls", "--quiet") == ""
    assert engine.docker("network", "ls", "--quiet", "--filter", "type=custom") == ""
    engine.docker("image", "prune", "--force")  # what an earlier state of the code left


@pytest.fixture(scope="module")
def folder(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of this machine whose sweep went through the lab's log."""
    data = tmp_path_factory.mktemp("sweep") / "data"
    ended = barograph("demo", "--small", "--log", "kafka:127.0.0.1:9092", "--dir", data)
    assert ended.code == 0, ended.err
    shipped = barograph("ship", "--once", "--dir", data, "--json")
    assert shipped.answer["waiting_bytes"] == 0
    assert lab.is_healthy("kafka")
    return data


@pytest.fixture(scope="module")
def chromium(engine: Engine) -> Generator[Browser]:
    del engine  # its network is entered first
    with browser() as opened:
        yield opened


def until(true: Callable[[], bool]) -> None:
    until_s = time.monotonic() + WITHIN_S
    while not true():
        assert time.monotonic() < until_s, "not in time"
        time.sleep(0.5)


def opened_by(shown: Tab, password: str, page: str = "") -> None:
    shown.page.goto(f"{EXPLORER}/{page}")
    shown.page.get_by_label("Password", exact=True).fill(password, timeout=SETTLED_MS)
    shown.page.get_by_role("button", name="Open the explorer").click()


def test_everything_is_healthy_and_has_only_the_rights_it_needs(lab: Lab) -> None:
    for service in SERVICES:
        found = lab.container(service)
        assert lab.is_healthy(service)
        assert found["HostConfig"]["Memory"] > 0
        assert PASSWORD not in json.dumps(found["Config"])
        status = Path(f"/proc/{found['State']['Pid']}/status").read_text()
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        uid = int(fields["Uid"].split()[0])
        assert (uid == 0) == (service == "collector"), service
        # SYS_NICE is capability 23, SYSLOG 34.
        rights = (1 << 23) | (1 << 34) if service == "collector" else 0
        assert int(fields["CapEff"], 16) == rights
        assert fields["NoNewPrivs"].strip() == "1"


def test_a_sweep_through_it_is_all_there(lab: Lab, folder: Path) -> None:
    lab.ask("serve", "load", "--dir=/data")
    found = lab.ask("serve", "verify", "--dir=/data")
    assert found["faults"] == 0, found
    theirs = lab.ask("serve", "report", "--dir=/data")
    ours = barograph("report", "--dir", folder, "--json").answer
    assert theirs["analysis"] == ours["analysis"]
    # The lab's collector saw the same kernel kill, and knew that it was not one more.
    assert found["kills_told"] == found["kills_counted"] > 0
    (host,) = found["hosts"]
    assert host["incarnations"] >= 2


def test_the_collector_sees_the_machine(lab: Lab) -> None:
    found = lab.ask("collector", "collect", "--status", "--dir=/collector")
    assert found["ticks"] > 0
    until(
        lambda: (
            lab.ask("collector", "collect", "--status", "--dir=/collector")["shipping"]["error"]
            is None
        )
    )
    journal = lab.compose("exec", "-T", "collector", "sh", "-c", "cat /collector/journal/*.jsonl")
    events = [json.loads(line) for line in journal.splitlines()]
    hosts = {event["data"]["host"] for event in events if event["type"] == "host.info"}
    assert hosts == {os.uname().nodename}
    assert [event["data"] for event in events if event["type"] == "probe.gap"] == []


def test_a_browser_shows_the_sweep_to_who_has_the_password(
    lab: Lab, folder: Path, chromium: Browser
) -> None:
    assert lab.is_healthy("explorer")
    assert folder.is_dir()
    with tab(chromium, EXPLORER) as shown:
        opened_by(shown, "another", "trials")
        shown.page.get_by_text("That is not the password.").wait_for(timeout=SETTLED_MS)
        opened_by(shown, PASSWORD, "trials")
        shown.page.wait_for_selector('[data-testid="stDataFrame"] canvas', timeout=SETTLED_MS)
        shown.settle()
        assert "24 trials" in shown.text
        assert shown.problems() == []


@pytest.mark.parametrize("service", ["serve", "kafka", "collector"])
def test_what_is_killed_comes_back(lab: Lab, folder: Path, service: str) -> None:
    before = lab.container(service)["State"]["StartedAt"]
    os.kill(lab.container(service)["State"]["Pid"], signal.SIGKILL)
    until(lambda: lab.container(service)["State"]["StartedAt"] != before)
    until(lambda: lab.is_healthy(service))
    here = os.uname().nodename
    said = barograph("note", f"{service} was killed", "--host", here, "--dir", folder)
    assert said.code == 0, said.err
    assert barograph("ship", "--once", "--dir", folder, "--json").answer["waiting_bytes"] == 0
    lab.ask("serve", "load", "--dir=/data")
    found = lab.ask("serve", "verify", "--dir=/data")
    assert found["faults"] == 0, found


def test_the_explorer_outlived_them(lab: Lab, folder: Path, chromium: Browser) -> None:
    assert lab.container("explorer")["RestartCount"] == 0
    assert folder.is_dir()
    with tab(chromium, EXPLORER) as shown:
        opened_by(shown, PASSWORD)
        shown.settle()
        assert shown.problems() == []


def test_own_brokers_take_the_place_of_ours(lab: Lab) -> None:
    lab.env |= {
        "BAROGRAPH_LOG": "kafka:broker-1:9092,broker-2:9092",
        "BAROGRAPH_KAFKA_USER": "barograph",
        "BAROGRAPH_KAFKA_PASSWORD": PASSWORD,
    }
    files = ("-f", "compose.yaml", "-f", "deploy/own-brokers.yaml")
    said = lab.compose(*files, "config", "--format", "json")
    services = json.loads(said)["services"]
    assert set(services) == SERVICES - {"kafka"}
    assert PASSWORD not in json.dumps(services)
    for service in ("serve", "collector"):
        assert "--log=kafka:broker-1:9092,broker-2:9092" in services[service]["command"]
        assert "kafka" not in services[service].get("depends_on", {})
        assert services[service]["secrets"][0]["source"] == "kafka-password"
