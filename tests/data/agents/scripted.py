"""A scripted agent for tests: does what the file named in its task's place says.

Commands are read from ``scripts/<task>.json`` beside this file: a list of shell commands. It
prints what came of each.
"""

import json
import os
from pathlib import Path

from runner.agents.client import Sandbox

script = Path(__file__).parent / "scripts" / f"{os.environ['BAROGRAPH_TASK']}.json"
with Sandbox.from_environment() as sandbox:
    for command in json.loads(script.read_text()):
        reply = sandbox.exec(command)
        print(command, "->", reply, flush=True)  # noqa: T201 - this is the log of the agent
        if reply.how == "sandbox_died":
            break
