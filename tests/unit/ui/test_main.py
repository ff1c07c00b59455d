"""The one printer of errors: one sentence, the right code, never a traceback."""

from collections.abc import Callable

import pytest
import typer

from barograph.errors import (
    AuditError,
    BarographError,
    BusyError,
    EnvironmentRefusal,
    ExitCode,
    IncompleteError,
    InputError,
    NotFoundError,
)
from ui.cli import main, registry


def _command(monkeypatch: pytest.MonkeyPatch, function: Callable[[], None]) -> None:
    """Make ``barograph doctor`` do ``function``."""

    def load(_command: registry.Command) -> Callable[[], None]:
        return function

    monkeypatch.setattr(registry.Command, "load", load)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BarographError, 1),
        (InputError, 2),
        (BusyError, 3),
        (EnvironmentRefusal, 4),
        (NotFoundError, 5),
        (AuditError, 6),
        (IncompleteError, 7),
    ],
)
def test_an_error_of_ours_is_one_sentence_with_its_code(
    error: type[BarographError],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails() -> None:
        raise error("too\nlarge", where="a.toml", field="size", value="9Z", remedy="write 9G")

    _command(monkeypatch, fails)
    assert main.run(["doctor"]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "barograph: a.toml: size = '9Z': too large; write 9G\n"


def test_a_bug_is_one_sentence_that_says_how_to_see_where(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise ValueError("seven is no number")

    monkeypatch.delenv("BAROGRAPH_TRACEBACK", raising=False)
    _command(monkeypatch, fails)
    assert main.run(["doctor"]) == ExitCode.FAILURE
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "ValueError: seven is no number" in said
    assert "BAROGRAPH_TRACEBACK=1" in said
    monkeypatch.setenv("BAROGRAPH_TRACEBACK", "1")
    assert main.run(["doctor"]) == ExitCode.FAILURE
    assert "in fails" in capsys.readouterr().err


@pytest.mark.parametrize("raised", [KeyboardInterrupt, typer.Abort])
def test_an_interrupt_ends_with_130(
    raised: type[BaseException],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails() -> None:
        raise raised

    _command(monkeypatch, fails)
    assert main.run(["doctor"]) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == "barograph: interrupted\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["doctr"], "No such command 'doctr'. Did you mean 'doctor'?; see 'barograph --help'"),
        (["doctor", "--frob"], "No such option: --frob; see 'barograph doctor --help'"),
        (["plan"], "Missing argument 'SWEEP.toml'; see 'barograph plan --help'"),
        (["doctor", "--dir"], "Option '--dir' requires an argument; see 'barograph doctor --help'"),
    ],
)
def test_a_wrong_command_line_is_one_sentence(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(arguments) == ExitCode.INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"barograph: {said}\n"


def test_nothing_asked_for_shows_what_can_be_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([]) == ExitCode.OK
    said = capsys.readouterr().out
    for command in registry.COMMANDS:
        assert f"  {command.name} " in said
        assert command.summary in said


def test_an_exit_of_a_command_is_the_exit_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ends() -> None:
        raise typer.Exit(ExitCode.ENVIRONMENT)

    _command(monkeypatch, ends)
    assert main.run(["doctor"]) == ExitCode.ENVIRONMENT
