"""The real collector writes the end of a sandbox whose runner was killed."""

import subprocess
import sys
import time
from pathlib import Path

from barograph.codec import decode
from barograph.envelope import Event
from barograph.facts import OomKill, SandboxDestroyed
from barograph.folder import DataFolder
from barograph.log.opening import open_log
from collector.client import CollectorClient
from tests import needs

ROOT = Path(__file__).resolve().parents[3]
RUNNER = """
import sys, time
from barograph.envelope import Belongs
from barograph.folder import DataFolder
from collector.client import ensure
from collector.protocol import Watch
from runner.sandboxes.port import DriverContext, SandboxRequest
from runner.sandboxes.registry import open_driver
folder = DataFolder.create(sys.argv[1])
client = ensure(folder, linger_s=0.5)
driver = open_driver("local", DriverContext(
    folder_id=folder.identity, scratch=folder.trials, records=folder.sandboxes,
    collector_socket=folder.collector_socket))
belongs = Belongs(sweep="s", trial="t", try_no=1)
box = driver.create(SandboxRequest(
    name="t-1", belongs=belongs, oom_scope="process", memory_ceiling_bytes=48 << 20))
standing = box.standing
client.watch(Watch(target="t-1", cgroups=standing.cgroups, ours=True,
                   kernel_path=standing.kernel_path, sweep="s", trial="t", try_no=1))
victim = box.exec(["python3", "-c", "x = b'1' * (100 << 20)"])
print(victim.pid, flush=True)
time.sleep(60)
"""


def events_of(folder: DataFolder) -> list[Event]:
    chunks = open_log(folder.log_url).read({})
    return [decode(line) for chunk in chunks for line in chunk.data.splitlines()]


def test_a_killed_runners_sandbox_ends_in_the_log(tmp_path: Path) -> None:
    needs.need_namespaces()
    folder = DataFolder.create(tmp_path / "data")
    command = [sys.executable, "-c", RUNNER, str(folder.root)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    victim = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 30
    while list(folder.sandboxes.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(folder.sandboxes.iterdir()) == []
    with CollectorClient(folder) as client:
        client.stop()
    events = events_of(folder)
    ends = [event for event in events if isinstance(event.payload, SandboxDestroyed)]
    kills = [event.payload for event in events if isinstance(event.payload, OomKill)]
    assert [end.belongs.target for end in ends] == ["t-1"]
    assert isinstance(ends[0].payload, SandboxDestroyed)
    assert (ends[0].payload.reason, ends[0].payload.read_by) == ("owner_gone", "collector")
    assert ends[0].payload.oom_kill_total == len(kills) == 1
    # The kernel log may be silent; where it spoke, pid and session are the command's.
    assert kills[0].victim_pid in {victim, None}
    assert kills[0].victim_session_pid in {victim, None}
    deadline = time.monotonic() + 30
    while _ours(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _ours(folder) == []


def _ours(folder: DataFolder) -> list[str]:
    return [
        str(path)
        for path in Path("/sys/fs/cgroup").glob(f"**/barograph/{folder.identity}/t-1")
        if path.exists()
    ]
