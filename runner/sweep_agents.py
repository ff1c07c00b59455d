"""The agents of a sweep file: who acts in the sandbox."""

from dataclasses import dataclass
from typing import Final, Literal

from runner.conditions import read_name
from runner.fields import Table

Builtin = Literal["oracle", "nop"]
BUILTIN_AGENTS: Final[tuple[Builtin, ...]] = ("oracle", "nop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A command on the host that acts by exec, or one of the built-in agents."""

    name: str
    command: tuple[str, ...] = ()
    builtin: Builtin | None = None
    """oracle: runs the task's own solution; nop: does nothing. Then there is no command."""
    env: tuple[str, ...] = ()
    """Names of host variables that the command is given; all others are withheld."""
    model: str | None = None
    """None for scripted agents: they are not models."""

    def settings(self) -> dict[str, object]:
        """As a sweep file would write it, defaults filled in."""
        return {
            "name": self.name,
            "command": list(self.command),
            "builtin": self.builtin,
            "env": list(self.env),
            "model": self.model,
        }


def read_agent(table: Table) -> Agent:
    """Read one ``[[agents]]`` table.

    Raises:
        SweepFileError: neither a command nor a known built-in agent, or a wrong field.

    """
    name = read_name(table)
    command = table.texts("command")
    builtin = table.text("builtin")
    env, model = _variables(table), table.text("model")
    table.done()
    if command is not None and builtin is not None:
        raise table.wrong(
            "builtin", "given beside command", value=builtin, remedy="keep one of the two"
        )
    if command is None:
        return Agent(name=name, builtin=_builtin(table, name, builtin), env=env, model=model)
    if not command:
        remedy = 'write a program and its arguments: ["python3", "agents/brute.py"]'
        raise table.wrong("command", "an empty command", value=[], remedy=remedy)
    return Agent(name=name, command=command, env=env, model=model)


def _builtin(table: Table, name: str, stated: str | None) -> Builtin:
    wanted = stated or name
    for known in BUILTIN_AGENTS:
        if wanted == known:
            return known
    raise table.wrong(
        "builtin" if stated else "name",
        "no built-in agent is called so",
        value=wanted,
        remedy='give the agent a command = ["program", ...], or use "oracle" or "nop"',
    )


def _variables(table: Table) -> tuple[str, ...]:
    names = table.texts("env") or ()
    for name in names:
        if "=" in name:
            raise table.wrong(
                "env",
                "a value is given where names belong",
                value=name,
                remedy='list names of variables to pass on, such as env = ["API_KEY"]',
            )
        if name.startswith("BAROGRAPH_"):
            raise table.wrong(
                "env",
                "these names are the runner's own",
                value=name,
                remedy="name variables that do not begin with BAROGRAPH_",
            )
    return names
