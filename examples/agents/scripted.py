"""What the two scripted agents have in common: everything but their taste.

A scripted agent is no model. It works through the steps of one (read the task, look around,
write a program, run it, look at the result) and waits before each as long as a reply would
take, but the programs are written already: for every task a lean and a heavy one, in
``programs/``. By the trial's seed it picks one of the two, mostly the one it prefers, and
what that program writes is its answer. The draw decides on the way, never on the reward.

It runs on the host and reaches the sandbox by exec only, like any agent of a sweep.
"""

import os
import sys
import time
from collections.abc import Iterator
from os.path import abspath, dirname, isdir
from typing import NamedTuple

# pathlib, dataclasses and random would each cost more than all that this agent does itself

HERE = dirname(abspath(__file__))
sys.path.append(dirname(dirname(HERE)))  # where the packages lie, in a checkout and in a wheel

from runner.agents.client import Reply, Sandbox  # noqa: E402 - found by the line above

LOOK = """ls -l
for file in $(ls | grep -E '(csv|json|log|txt)$'); do echo "== $file"; head -n 3 "$file"; done"""
RUN_LIMIT_S = 60
SIGKILL = 9


class Taste(NamedTuple):
    """How an agent likes to work."""

    name: str
    prefers: str
    """"lean" or "heavy"."""
    preference: float
    """How often it takes what it prefers."""
    gives_in: float
    """How often it tries the lean way after its heavy program was killed."""


def draws(seed: int) -> Iterator[float]:
    """Numbers in [0, 1), by SplitMix64."""
    state = seed % 2**64
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        yield (mixed ^ mixed >> 31) / 2**64


class Plan(NamedTuple):
    """What an agent will do in one trial; a function of its taste and the trial's seed."""

    way: str
    gives_in: bool
    replies_s: tuple[float, ...]
    """How long each of the model's replies would take, in order."""


def plan(taste: Taste, seed: int) -> Plan:
    """Draw everything there is to draw."""
    draw = draws(seed)
    other = {"lean": "heavy", "heavy": "lean"}[taste.prefers]
    way = taste.prefers if next(draw) < taste.preference else other
    gives_in = next(draw) < taste.gives_in
    return Plan(way, gives_in, tuple(0.5 + 0.9 * next(draw) for _ in range(8)))


def text_of(path: str) -> str:
    with open(path, encoding="utf-8") as source:
        return source.read()


def answer_file(instruction: str) -> str:
    """The path that the task asks to write: the first in back quotes after "Write"."""
    return instruction.partition("Write")[2].partition("`")[2].partition("`")[0]


class Agent:
    """One trial."""

    def __init__(self, taste: Taste, task: str, planned: Plan, sandbox: Sandbox) -> None:
        self._taste = taste
        self._task = task
        self._plan = planned
        self._replies = iter(planned.replies_s)
        self._sandbox = sandbox

    def step(self, says: str, command: str, limit_s: float = 20) -> Reply:
        """Wait as for a model's reply, then run a command in the sandbox."""
        time.sleep(next(self._replies))
        print(f"> {says}", flush=True)
        reply = self._sandbox.exec(command, timeout_s=limit_s)
        ended = f"signal {reply.signal}" if reply.signal else f"exit code {reply.exit_code}"
        print(f"  {reply.how}, {ended}\n{reply.stdout[-2000:]}{reply.stderr[-2000:]}", flush=True)
        if reply.how == "sandbox_died":
            sys.exit("The sandbox is gone, and with it the task.")
        return reply

    def attempt(self, way: str) -> Reply:
        """Write the program for one way into the sandbox, and run it."""
        program = text_of(f"{HERE}/programs/{self._task}/{way}.py")
        heredoc = f"cat > solve.py <<'END_OF_PROGRAM'\n{program}END_OF_PROGRAM\n"
        self.step(f"Write the {way} program.", heredoc)
        return self.step("Run it.", "python3 -I -S solve.py", RUN_LIMIT_S)

    def solve(self, instruction: str) -> None:
        """The whole trial."""
        print(f"{self._taste.name}, a scripted agent, takes the {self._plan.way} way", flush=True)
        self.step("Look around.", LOOK)
        reply = self.attempt(self._plan.way)
        killed = reply.signal == SIGKILL or reply.exit_code == SIGKILL + 128
        if killed and self._plan.way == "heavy" and self._plan.gives_in:
            self.attempt("lean")
        answer = answer_file(instruction)
        self.step("Look at the answer.", f"ls -l {answer} && head -c 300 {answer}")


def main(taste: Taste) -> None:
    """Run one trial, told by the environment."""
    task = os.environ["BAROGRAPH_TASK"]
    if not isdir(f"{HERE}/programs/{task}"):
        sys.exit(f"{taste.name} knows the tasks of its own pack only, and not {task!r}.")
    instruction = text_of(os.environ["BAROGRAPH_INSTRUCTION"])
    planned = plan(taste, int(os.environ["BAROGRAPH_SEED"]))
    Agent(taste, task, planned, Sandbox.from_environment()).solve(instruction)
