"""What the collector can only be tried on in the guest: group kills, and a clock that is set.

Run there by ``tests/vm/test_collector_v2.py``; its name keeps it from being collected here.
"""

import signal
import time
from pathlib import Path

from barograph.facts import ClockStepped, Sample, SandboxDestroyed
from tests.cells import MIB, PYTHON, cell, eat
from tests.integration.collector.watching import watching


def test_a_group_kill_names_every_victim(tmp_path: Path) -> None:
    with watching(tmp_path / "data") as watcher, cell(limit_bytes=64 * MIB) as target:
        (target.memory / "memory.oom.group").write_text("1")
        watcher.watch("t", target)
        sleepers = [target.start([*PYTHON, "import time; time.sleep(600)"]) for _ in range(3)]
        time.sleep(3.0)
        pid, code = target.run(eat(300 * MIB))
        assert code == -signal.SIGKILL
        assert {sleeper.wait() for sleeper in sleepers} == {-signal.SIGKILL}
        final = watcher.client.finish("t")
        counted = target.kills
    assert final["oom_group_kill_total"] == 1
    assert final["oom_kill_total"] == counted >= 4
    victims = watcher.victims("t")
    assert len(victims) == counted
    assert set(victims) == {pid, *(sleeper.pid for sleeper in sleepers)}
    assert watcher.foreign_kills() == []
    [end] = watcher.payloads(SandboxDestroyed, "t")
    assert end.oom_total is not None
    assert end.oom_total >= 1


def test_a_target_that_lives_at_its_ceiling_wakes_us_often_and_is_no_kill(tmp_path: Path) -> None:
    churn = (
        "import os\n"
        "while True:\n"
        "    fd = os.open('/var/tmp/churn', os.O_RDWR | os.O_CREAT)\n"
        f"    for i in range(20): os.write(fd, b'x' * {2 * MIB})\n"
        "    os.close(fd); os.unlink('/var/tmp/churn')\n"
    )
    with watching(tmp_path / "data") as watcher, cell(limit_bytes=24 * MIB) as target:
        watcher.watch("t", target)
        process = target.start([*PYTHON, churn])
        time.sleep(10)
        process.kill()
        process.wait()
        watcher.client.finish("t")
    assert sum(sample.limit_hits or 0 for sample in watcher.payloads(Sample, "t")) > 0
    assert watcher.kills("t") == {}
    assert max(sample.peak_bytes or 0 for sample in watcher.payloads(Sample, "t")) <= 24 * MIB


def test_a_wall_clock_that_is_set_is_told(tmp_path: Path) -> None:
    with watching(tmp_path / "data") as watcher:
        time.sleep(3.0)
        time.clock_settime(time.CLOCK_REALTIME, time.time() + 3600)
        time.sleep(3.0)
        time.clock_settime(time.CLOCK_REALTIME, time.time() - 1800)
        time.sleep(3.0)
    steps = [fact.step_us / 1e6 for fact in watcher.payloads(ClockStepped)]
    assert [round(step, 1) for step in steps] == [3600.0, -1800.0]
