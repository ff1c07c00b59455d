"""Who can look: on this machine everyone, elsewhere nobody who was not let in.

The explorers are the real program, the viewers a real browser and, because who wants a sweep
need not load the page, a client of the bare protocol. That client is held against the same
one where it is let in, so that it is known to see what there is to see.
"""

import socket
import threading
import urllib.error
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, WebSocket
from websockets.exceptions import InvalidStatus

from tests.browser import SETTLED_MS, Tab, browser, tab
from tests.e2e.conftest import Ended, barograph
from tests.explored import Tried, folder_with
from tests.explorers import START_S, Explorer, explorer, get, look, proxy
from ui.explorer.options import PASSWORD_VARIABLE
from ui.explorer.pages import PAGES

EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - what is under test
HEADER: Final = "X-Forwarded-User"
RIGHT: Final = "correct horse battery"
SECRETS: Final = ("hidden-task", "hidden-agent", "hidden-sweep", "python3", "32 MiB")
"""What only who may look may see, in any spelling that Markdown gives it."""
KILLED: Final = f"trial={1:012x}"


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    trials = [
        Tried(task="hidden-task", agent="hidden-agent", condition=condition, ended=ended)
        for condition, ended in (("1x", "killed"), ("2x", "passed"))
    ]
    path = tmp_path_factory.mktemp("access") / "data"
    return folder_with(path, trials, name="hidden-sweep").root


@pytest.fixture(scope="module")
def asking(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Explorer]:
    """One that wants a password, and is started where files ask Streamlit to be open."""
    here = tmp_path_factory.mktemp("cwd")
    (here / "password").write_text(f"{RIGHT}\nnot this line\n")
    (here / ".streamlit").mkdir()
    (here / ".streamlit" / "config.toml").write_text(
        '[server]\nenableAgentApi = true\nenableCORS = false\nbaseUrlPath = "elsewhere"\n'
    )
    env = {PASSWORD_VARIABLE: "password"}
    with explorer(folder, "--host", EVERYWHERE, env=env, cwd=here) as started:
        yield started


@pytest.fixture(scope="module")
def trusting(folder: Path) -> Generator[Explorer]:
    """One behind a reverse proxy."""
    with explorer(folder, "--host", EVERYWHERE, "--trust-header", HEADER) as started:
        yield started


def seen_in(got: bytes | str) -> list[str]:
    """Secrets that are in there."""
    text = got if isinstance(got, str) else got.decode("utf-8", "replace")
    return [secret for secret in SECRETS if secret in text.replace("\\", "")]


@contextmanager
def overheard(chromium: Browser, address: str) -> Generator[tuple[Tab, list[bytes]]]:
    """A tab, and everything that reaches its browser over the stream."""
    heard: list[bytes] = []

    def listen(stream: WebSocket) -> None:
        stream.on(
            "framereceived",
            lambda frame: heard.append(frame if isinstance(frame, bytes) else frame.encode()),
        )

    with tab(chromium, address) as opened:
        opened.page.on("websocket", listen)
        yield opened, heard


def give(opened: Tab, password: str) -> None:
    opened.page.get_by_label("Password", exact=True).fill(password)
    opened.page.get_by_role("button", name="Open the explorer").click()


def test_nobody_else_may_look_before_it_was_said_who(folder: Path) -> None:
    def explore() -> Ended:
        return barograph("explore", "--dir", folder, "--no-browser", "--host", host, env=env)

    host, env = EVERYWHERE, {PASSWORD_VARIABLE: ""}
    explore().complained(2, "without a password", host, PASSWORD_VARIABLE, "--trust-header")
    env = {PASSWORD_VARIABLE: str(folder / "nothing")}
    explore().complained(2, "cannot be read", str(folder / "nothing"), "chmod 600")


def test_the_password_opens_and_nothing_else_does(asking: Explorer, chromium: Browser) -> None:
    with overheard(chromium, asking.address) as (opened, heard):
        opened.page.goto(f"{asking.address}/trial?{KILLED}")
        opened.page.get_by_label("Password", exact=True).wait_for(timeout=SETTLED_MS)
        give(opened, "not this line")
        opened.page.get_by_text("That is not the password.").wait_for(timeout=SETTLED_MS)
        give(opened, "")
        opened.page.wait_for_timeout(500)
        assert seen_in(opened.page.content()) == []
        assert heard, "nothing was overheard, so nothing was proven"
        assert [secret for frame in heard for secret in seen_in(frame)] == []
        give(opened, RIGHT)
        opened.page.get_by_text("The kernel killed python3").first.wait_for(timeout=SETTLED_MS)
        opened.settle()
        assert set(seen_in(b"".join(heard))) >= {"hidden-task", "python3"}
        assert opened.page.get_by_label("Password", exact=True).count() == 0
        opened.page.get_by_role("link", name="Trials").click()
        opened.page.wait_for_url("**/trials*")
        opened.settle()
        assert opened.problems() == []
    with overheard(chromium, asking.address) as (another, heard):
        another.page.goto(asking.address)
        another.page.get_by_label("Password", exact=True).wait_for(timeout=SETTLED_MS)
        assert seen_in(b"".join(heard)) == [], "who was let in has let in everybody"


@pytest.mark.parametrize("page", [spec.name for spec in PAGES])
def test_a_client_without_the_page_sees_nothing_either(
    asking: Explorer, trusting: Explorer, page: str
) -> None:
    known = "access_granted"
    got = look(asking.address, page, query=f"{KILLED}&{known}=true&password={RIGHT}")
    assert seen_in(got) == []
    assert b"Password" in got
    for name in (known, f"${known}"):
        assert seen_in(look(asking.address, page, query=KILLED, forged={name: True})) == []
    for headers in ({}, {HEADER: ""}, {"X-Real-User": "ada"}, {"Cookie": f"{HEADER}=ada"}):
        got = look(trusting.address, page, query=KILLED, headers=headers)
        assert seen_in(got) == []
        assert b"through its proxy only" in got
    got = look(trusting.address, page, query=KILLED, headers={HEADER: "ada"})
    assert page == "pipeline" or seen_in(got), "this client would see nothing anyway"


@pytest.mark.parametrize(
    "path",
    [
        "trials",
        f"trial?{KILLED}",
        "_stcore/metrics",
        "_stcore/host-config",
        "_stcore/script-health-check",
        "_stcore/message?hash=0",
        "_stcore/agent/openapi.json",
        "_stcore/agent/interact",
        "app/static/../app.py",
        "static/../../../../../ui/explorer/app.py",
        "media/../../barograph.duckdb",
        "component/../journal",
    ],
)
def test_no_other_address_of_the_server_tells(asking: Explorer, path: str) -> None:
    for data in (None, b"{}"):
        headers = {"Content-Type": "application/json"} if data else {}
        try:
            got = get(f"{asking.address}/{path}", data=data, **headers)
        except urllib.error.HTTPError as refused:
            got = refused.read()
        assert seen_in(got) == []
        assert b"st.navigation" not in got
        if data and path.endswith("interact"):
            assert b"does not serve the agent API" in got


def test_who_comes_through_the_proxy_sees_the_sweep(trusting: Explorer, chromium: Browser) -> None:
    with overheard(chromium, trusting.address) as (opened, heard):
        opened.page.goto(trusting.address)
        opened.page.get_by_text("through its proxy only").wait_for(timeout=SETTLED_MS)
        assert seen_in(opened.page.content()) == []
        assert seen_in(b"".join(heard)) == []
    with (
        proxy(trusting.port, HEADER, "ada") as address,
        overheard(chromium, address) as (opened, heard),
    ):
        opened.open(f"trial?{KILLED}")
        assert "The kernel killed python3" in opened.text
        assert opened.problems() == []
        assert seen_in(b"".join(heard))


def test_it_says_who_can_look(asking: Explorer, trusting: Explorer) -> None:
    assert f"Whoever reaches {EVERYWHERE} and has the password can look" in asking.said
    assert f"Whoever comes with the header {HEADER} can look" in trusting.said
    assert RIGHT not in asking.said


@contextmanager
def trap() -> Generator[tuple[str, list[bytes]]]:
    """Something that takes the calls that a program makes to elsewhere."""
    called: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as door:

        def take() -> None:
            while True:
                try:
                    caller, _ = door.accept()
                except OSError:
                    return
                with caller, suppress(OSError):
                    called.append(b"a caller")
                    caller.settimeout(START_S)
                    called[-1] = caller.recv(4096)

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}", called
        finally:
            door.shutdown(socket.SHUT_RDWR)
            thread.join(2 * START_S)


def test_on_loopback_it_says_so_and_answers_to_no_other_name(folder: Path) -> None:
    with trap() as (elsewhere, called):
        proxies = {"http_proxy": elsewhere, "https_proxy": elsewhere, "no_proxy": "127.0.0.1"}
        env = {**proxies, PASSWORD_VARIABLE: ""}
        with explorer(folder, env=env) as local:
            assert "Only this machine can reach it, and may only read" in local.said
            assert seen_in(look(local.address, "trial", query=KILLED))
            page = f"http://localhost:{local.port}"
            assert seen_in(look(local.address, "trial", query=KILLED, origin=page))
            with pytest.raises(InvalidStatus, match="403"):
                look(local.address, "trial", name="evil.example")
            with pytest.raises(InvalidStatus, match="403"):
                look(local.address, "trial", origin="https://evil.example")
            with pytest.raises(OSError, match="refused"):
                socket.create_connection(("127.0.0.2", local.port), timeout=10)
        assert called == [], "it asks somebody else"
