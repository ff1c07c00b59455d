"""What can be known to fail before the first trial, checked before the first trial.

Reading a sweep file (``sweeps``) proves that it makes sense; this proves that it can run
*here*: the agents' programs exist, the variables that they are to be given are set, and
the driver can hold what the conditions ask for. A plan that is only looked at does not
need any of it.
"""

import os
import resource
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from runner.errors import SweepFileError
from runner.sandboxes.capabilities import Capabilities
from runner.sandboxes.errors import SandboxRefusal
from runner.sweep_agents import Agent
from runner.sweeps import Sweep

_FILES_PER_TRY: Final = 24
"""Sockets and pipes to supervisor, guard and agent, and what is open for a moment."""
_FILES_BESIDE: Final = 256


def check_agents(sweep: Sweep, environment: Mapping[str, str]) -> None:
    """Prove that every agent can be started.

    Args:
        sweep: the checked file.
        environment: of the runner.

    Raises:
        SweepFileError: a program or variable is missing, or a task has no solution for
            the oracle.

    """
    for index, agent in enumerate(sweep.agents):
        field = f"agents[{index}]"
        for name in agent.env:
            if name not in environment:
                raise SweepFileError(
                    "this variable is not set",
                    where=sweep.file,
                    field=f"{field}.env",
                    value=name,
                    remedy="export it before running the sweep",
                )
        if agent.builtin == "oracle":
            _check_solutions(sweep, field)
        elif agent.builtin is None:
            _check_program(sweep, agent, field, environment)


def make_room_for_files(sweep: Sweep) -> None:
    """Have enough descriptors for all tries that run at once.

    The soft limit is raised no further than needed, because agents inherit it.

    Raises:
        SweepFileError: the hard limit does not allow so many.

    """
    needed = _FILES_BESIDE + sweep.concurrency * _FILES_PER_TRY
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise SweepFileError(
            f"needs {needed} open files, and {hard} are allowed",
            where=sweep.file,
            field="sweep.concurrency",
            value=sweep.concurrency,
            remedy="lower it, or raise the limit (ulimit -Hn)",
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def check_driver(sweep: Sweep, capabilities: Capabilities) -> None:
    """Prove that the driver can hold what the sweep asks for.

    Raises:
        SandboxRefusal: it cannot, on this machine.

    """
    asked = sweep.limits.values()
    lacking = {
        "a memory ceiling": not capabilities.memory_ceiling
        and any(limits.memory_ceiling_bytes is not None for limits in asked),
        "a memory floor": capabilities.memory_floor == "none"
        and any(limits.memory_floor_bytes is not None for limits in asked),
        "a CPU ceiling": not capabilities.cpu_ceiling
        and any(limits.cpu_ceiling_cores is not None for limits in asked),
        "a CPU floor": capabilities.cpu_floor == "none"
        and any(limits.cpu_floor_cores is not None for limits in asked),
        f"OOM scope {sweep.oom_scope!r}": sweep.oom_scope not in capabilities.oom_scopes,
        "a task without network": not capabilities.no_network
        and any(task.network == "no-network" for task in sweep.tasks),
        "a parent cap": not capabilities.parent_cap and sweep.parent_cap_bytes is not None,
    }
    for what, is_lacking in lacking.items():
        if is_lacking:
            raise SandboxRefusal(
                f"this machine cannot enforce {what}, which the sweep asks for",
                where=sweep.file,
                remedy="'barograph doctor' says what is missing",
            )


def _check_solutions(sweep: Sweep, field: str) -> None:
    for task in sweep.tasks:
        if not (task.solution / "solve.sh").is_file():
            raise SweepFileError(
                f"the oracle needs solution/solve.sh, which task {task.name!r} has not",
                where=sweep.file,
                field=f"{field}.builtin",
                value="oracle",
                remedy="write the solution, or exclude the task",
            )


def _check_program(sweep: Sweep, agent: Agent, field: str, environment: Mapping[str, str]) -> None:
    program = agent.command[0]
    if "/" in program:
        # A path is taken from the file's folder, where the agent is started.
        found = os.access(sweep.file.parent / Path(program), os.X_OK)
        looked = f"in {sweep.file.parent}"
    else:
        found = shutil.which(program, path=environment.get("PATH", os.defpath)) is not None
        looked = "on PATH"
    if not found:
        raise SweepFileError(
            f"there is no such program {looked}, or it may not be executed",
            where=sweep.file,
            field=f"{field}.command",
            value=program,
            remedy="write a program that is there",
        )
