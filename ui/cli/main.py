"""Start a command, and be the only place that prints an error.

Whatever goes wrong ends as one sentence on standard error and a documented exit code
(``barograph.errors``). A traceback is for whoever mends the program, so it is shown only
when asked for. Standard output carries answers alone: what a script reads stays readable
when a command fails.
"""

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Annotated, Final

import typer

import barograph
from barograph.errors import BarographError, ExitCode
from ui.cli.config import TRACEBACK_VARIABLE, wants_traceback
from ui.cli.registry import COMMANDS, Command

_PROGRAM: Final = "barograph"
_BROKEN_PIPE: Final = 141  # as every Unix tool whose reader went away: 128 + SIGPIPE


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and end the process. The entry point."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a sign gets a question mark, never a traceback.
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # TextIOWrapper
    raise SystemExit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command line.

    Returns:
        The exit code, after the error (if any) was printed.

    """
    try:
        app = build(arguments)
        # Nothing asked for: say what can be asked.
        code = app(list(arguments) or ["--help"], prog_name=_PROGRAM, standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", ExitCode.INTERRUPTED)
    except SystemExit:  # what typer makes of a broken pipe, and of nothing else
        return _reader_gone()
    except Exception as error:  # noqa: BLE001 - the last resort: even a bug is told as a sentence
        return _explain(error, arguments)
    if code == ExitCode.INTERRUPTED:  # what typer makes of a KeyboardInterrupt
        return _complain("interrupted", ExitCode.INTERRUPTED)
    return code if isinstance(code, int) else ExitCode.OK


def build(arguments: Sequence[str]) -> typer.Typer:
    """Make the program for one command line: the command asked for, the others by name.

    Options before the command take no values, so the first word is the command.
    """
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    app = typer.Typer(
        name=_PROGRAM,
        help="Record what resource pressure does to an agentic coding eval, and say how much "
        "of the score it explains.",
        epilog="Options and exit codes of every command: docs/cli.md.",
        add_completion=False,
        rich_markup_mode=None,  # plain help: a third of the start-up time, and right in a pipe
        pretty_exceptions_enable=False,
    )
    app.callback()(_program)
    for command in COMMANDS:
        function = command.load() if command.name == wanted else _stub(command)
        app.command(command.name)(function)
    return app


def _print_version(value: bool) -> None:  # noqa: FBT001 - typer's callbacks are positional
    if value:
        sys.stdout.write(f"{_PROGRAM} {barograph.__version__}\n")
        raise typer.Exit


def _program(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and end.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """Options before the command."""


def _stub(command: Command) -> Callable[[], None]:
    def stub() -> None:
        raise AssertionError(command.name)  # build() loads what is called

    stub.__doc__ = command.summary
    return stub


def _complain(sentence: str, code: int) -> int:
    sys.stderr.write(f"{_PROGRAM}: {_one_line(sentence)}\n")
    return code


def _explain(error: Exception, arguments: Sequence[str]) -> int:
    match error:
        case BarographError():
            return _complain(str(error), error.exit_code)
        case typer.Exit():
            return error.exit_code
        case typer.TyperException():
            return _usage(error, arguments)
        case BrokenPipeError():
            return _reader_gone()
        case _:
            return _unforeseen(error)


def _usage(error: typer.TyperException, arguments: Sequence[str]) -> int:
    """Say what typer found wrong with the command line itself."""
    known = [word for word in arguments if any(word == one.name for one in COMMANDS)]
    asked = " ".join([_PROGRAM, *known[:1], "--help"])
    return _complain(f"{error.format_message().rstrip('.')}; see '{asked}'", ExitCode.INPUT)


def _reader_gone() -> int:
    # What is left in the buffer would fail again when Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return _BROKEN_PIPE


def _unforeseen(error: Exception) -> int:
    if wants_traceback():
        traceback.print_exception(error)
    text = str(error) or "no message"
    return _complain(
        f"unforeseen failure, a bug of ours ({type(error).__name__}: {text}); "
        f"{TRACEBACK_VARIABLE}=1 shows where",
        ExitCode.FAILURE,
    )


def _one_line(sentence: str) -> str:
    return " ".join(sentence.split())
