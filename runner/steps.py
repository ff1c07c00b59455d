"""What the runner itself does in a sandbox: set the task up, and have it judged."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runner.acting import exit_code
from runner.commands import Commands
from runner.errors import RunnerError
from runner.keeping import keep
from runner.rewards import MOST_REWARD_BYTES, Graded, grade
from runner.sandboxes.errors import SandboxFailedError
from runner.tasks import Task

# The script is gone when the agent comes; what it did stays.
_SETUP: Final = (
    "chmod +x /tmp/setup.sh; /tmp/setup.sh 2>&1; code=$?; rm -f /tmp/setup.sh; exit $code"
)
# Nothing that the agent left under the names of the results may be taken for one.
_VERIFY: Final = (
    "rm -rf /logs/verifier/reward.json /logs/verifier/reward.txt; "
    "chmod +x /tests/test.sh; exec /tests/test.sh 2>&1"
)


class SetupError(RunnerError):
    """The task's own ``environment/setup.sh`` failed, so there was nothing to solve."""


class SetupTimeoutError(SetupError):
    """The task's own ``environment/setup.sh`` did not end in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """How the verifier ended and what it left."""

    graded: Graded
    timed_out: bool
    exit_code: int | None
    """Of ``tests/test.sh``; recorded, never judged."""


def set_up(task: Task, commands: Commands, *, limit_s: float, log: Path) -> None:
    """Copy the task's files into the working directory and run its setup script.

    Raises:
        SetupError: the script failed, or (SetupTimeoutError) did not end in time.
        SandboxDiedError, SandboxFailedError, LogError: see ``Commands.run``.

    """
    if task.files.is_dir():
        commands.sandbox.upload(task.files, task.workdir)
    if not task.setup_script.is_file():
        return
    commands.sandbox.upload(task.setup_script, "/tmp/setup.sh")  # noqa: S108 - inside
    result = commands.run("setup", _SETUP, timeout_s=limit_s)
    keep(log, result.stdout + result.stderr)
    if result.how == "timeout":
        raise SetupTimeoutError(f"environment/setup.sh did not end within {limit_s:g} s")
    code = exit_code(result.exit_code, result.signal)
    if code != 0:
        raise SetupError(f"environment/setup.sh ended with exit code {code}; see {log.name}")


def verify(task: Task, commands: Commands, *, folder: Path) -> Verified:
    """Bring the tests in, run them, and read the rewards that they left.

    Args:
        task: whose tests.
        commands: the way into the sandbox; no agent may act in it any more.
        folder: on the host, for the verifier's output and its reward files.

    Raises:
        SandboxDiedError, SandboxFailedError, LogError: see ``Commands.run``.

    """
    commands.sandbox.upload(task.tests, "/tests")
    result = commands.run(
        "verifier",
        _VERIFY,
        timeout_s=task.verifier_timeout_s,
        environment=task.verifier_env,
    )
    keep(folder / "verifier.log", result.stdout + result.stderr)
    if result.how == "timeout":
        message = f"the verifier did not end within {task.verifier_timeout_s:g} s"
        graded = Graded(error="VerifierTimeoutError", message=message)
        return Verified(graded=graded, timed_out=True, exit_code=None)
    graded = grade(
        reward_json=_fetch(commands, "reward.json", folder),
        reward_txt=_fetch(commands, "reward.txt", folder),
    )
    code = exit_code(result.exit_code, result.signal)
    return Verified(graded=graded, timed_out=False, exit_code=code)


def _fetch(commands: Commands, name: str, folder: Path) -> bytes | None:
    """A file from ``/logs/verifier``; None when there is none."""
    target = folder / name
    try:
        if not commands.sandbox.download(f"/logs/verifier/{name}", target):
            return None
    except SandboxFailedError:
        if not target.exists():
            raise
        return bytes(MOST_REWARD_BYTES + 1)  # far too large: not a reward, and no fault of ours
    if not target.is_file():
        return b"a folder"
    with target.open("rb") as file:
        return file.read(MOST_REWARD_BYTES + 1)
