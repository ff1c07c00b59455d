"""What pages share: names as plain text, rows as files, pictures, options, passwords."""

import json
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.explored import NASTY
from ui.errors import DrawingError, NoPasswordError, OpenExplorerError, PortBusyError
from ui.explorer import launch
from ui.explorer.access import Attempts
from ui.explorer.charts.base import Spec
from ui.explorer.data import Memory
from ui.explorer.downloads import drawn, sized
from ui.explorer.frame import cut, plain, tame
from ui.explorer.options import PASSWORD_VARIABLE, VARIABLE, Options, password
from ui.explorer.panels import titled
from ui.explorer.tabular import arrow, csv_bytes, parquet_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: str
    number: float | None
    many: tuple[str, ...] = ()


ROWS = [Row(name=name, number=place or None, many=("a", "b")) for place, name in enumerate(NASTY)]
BAR: Spec = {
    "data": {"values": [{"a": 1}]},
    "mark": "bar",
    "encoding": {"x": {"field": "a", "type": "quantitative"}},
}


@given(st.text(max_size=500))
def test_a_name_is_one_line_and_short(text: str) -> None:
    short = cut(text, 40)
    assert len(short) <= 40
    assert len(short.splitlines()) <= 1
    assert not set(short) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(st.text(max_size=200))
def test_markup_is_escaped(text: str) -> None:
    shown = plain(text)
    for sign in "*_`[]<>$~:|#":
        assert shown.count(sign) == shown.count(f"\\{sign}")


def test_right_to_left_text_is_isolated() -> None:
    assert plain("\u05e9\u05dc") == "\u2068\u05e9\u05dc\u2069"
    assert plain("plain") == "plain"


def test_no_word_of_a_sentence_is_endless() -> None:
    assert tame(f"from {NASTY[4]} to 3x") == f"from very-long-{'x' * 21}… to 3x"


def test_rows_become_files() -> None:
    text = csv_bytes(ROWS).decode()
    assert text.splitlines()[0] == "name,number,many"
    assert text.count('"[""a"", ""b""]"') == len(ROWS)
    assert parquet_bytes(ROWS).startswith(b"PAR1")
    assert arrow(ROWS, ["name"]).num_rows == len(ROWS)
    assert csv_bytes([]) == b"\r\n"
    assert parquet_bytes([]).startswith(b"PAR1")


def test_a_column_of_mixed_values_becomes_text() -> None:
    assert arrow([{"a": 1}, {"a": "b"}]).num_rows == 2


@pytest.mark.parametrize(("form", "head"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_a_figure_becomes_a_picture(form: str, head: bytes) -> None:
    picture = drawn(titled(BAR, "A title " * 40), "svg" if form == "svg" else "png")
    assert picture.startswith(head)


def test_a_figure_that_cannot_be_drawn_is_one_sentence() -> None:
    with pytest.raises(DrawingError, match="could not be drawn"):
        drawn({"mark": {"type": "nothing"}, "data": 7}, "svg")


def test_every_panel_gets_a_width() -> None:
    spec = sized({"hconcat": [{"mark": "bar"}, {"vconcat": [{"mark": "bar", "width": 10}]}]})
    assert json.dumps(spec).count('"width": 560') == 1


def test_options_travel_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert Options.from_environment() == Options()
    given_options = Options(folder="/x", port=1, may_write=True, trusted_header="X-User")
    monkeypatch.setenv(VARIABLE, given_options.to_text())
    assert Options.from_environment() == given_options


def test_nobody_else_may_look_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    for host in ("0.0.0.0", "::", "127.0.0.2", "192.0.2.7", "", "localhost.example"):  # noqa: S104 - refused
        with pytest.raises(OpenExplorerError, match=PASSWORD_VARIABLE):
            launch.checked(Options(host=host))
    assert launch.checked(Options(host="0.0.0.0", trusted_header="X-User")).trusted_header  # noqa: S104 - never bound
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(PASSWORD_VARIABLE, "secret.txt")
    with pytest.raises(NoPasswordError, match="cannot be read"):
        launch.checked(Options(host="192.0.2.7"))
    (tmp_path / "secret.txt").write_text("correct horse")
    found = launch.checked(Options(host="192.0.2.7"))
    assert found.password_file is not None
    assert Path(found.password_file).is_absolute()
    assert launch.checked(Options()).is_local


def test_a_port_that_is_taken_is_refused() -> None:
    with pytest.raises(PortBusyError, match="give another one with --port"):
        launch.free_port("192.0.2.1", 8501)
    assert launch.free_port("127.0.0.1", None) >= launch.DEFAULT_PORT


def test_an_address_that_a_browser_understands() -> None:
    assert launch.address(Options(host="::1", port=1)) == "http://[::1]:1"
    assert launch.address(Options(host="0.0.0.0", port=1)) == "http://127.0.0.1:1"  # noqa: S104 - never bound


def test_the_password_is_the_first_line(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("correct horse\nsecond line\n")
    assert password(str(file)) == "correct horse"
    file.write_text("\n")
    with pytest.raises(NoPasswordError, match="no password in it"):
        password(str(file))
    with pytest.raises(NoPasswordError, match="cannot be read"):
        password(str(tmp_path / "nothing"))


def test_whoever_is_wrong_too_often_waits() -> None:
    attempts = Attempts()
    for second in range(5):
        assert attempts.allowed(float(second))
        attempts.wrong(float(second))
    assert not attempts.allowed(59.0)
    assert attempts.allowed(61.0)


def test_an_answer_is_made_once_for_each_state() -> None:
    memory, made = Memory(most=2), [0]

    def make() -> int:
        made[0] += 1
        return made[0]

    assert [memory.recall(("a",), 1, make) for _ in range(3)] == [1, 1, 1]
    assert memory.recall(("a",), 2, make) == 2
    memory.recall(("b",), 2, make)
    memory.recall(("c",), 2, make)
    assert memory.recall(("a",), 2, make) == 5


def test_one_asks_for_all_who_ask_at_once() -> None:
    memory, made = Memory(), [0]
    gate = threading.Barrier(4)

    def make() -> int:
        made[0] += 1
        return made[0]

    def ask() -> None:
        gate.wait()
        memory.recall(("a",), 1, make)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_a_failure_is_not_remembered() -> None:
    memory = Memory()

    def fail() -> int:
        raise KeyError("no answer")

    for _ in range(2):
        with pytest.raises(KeyError, match="no answer"):
            memory.recall(("a",), 1, fail)
    assert memory.recall(("a",), 1, lambda: 1) == 1
