"""A scripted agent for tests: runs what the file named like its task says, and prints the replies.

Commands are read from ``scripts/<task>.json`` beside this file, a list of shell commands; a
first argument names a folder in between (``scripts/<argument>/<task>.json``).
"""

import json
import os
import sys
from pathlib import Path

from runner.agents.client import Sandbox

scripts = Path(__file__).parent.joinpath("scripts", *sys.argv[1:])
with Sandbox.from_environment() as sandbox:
    for command in json.loads((scripts / f"{os.environ['BAROGRAPH_TASK']}.json").read_text()):
        reply = sandbox.exec(command)
        print(command, "->", reply, flush=True)  # noqa: T201 - this is the log of the agent
        if reply.how == "sandbox_died":
            break
