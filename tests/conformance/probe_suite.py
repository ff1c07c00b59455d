"""What every probe of a cgroup must hold; run for the version that this machine has.

Real cgroups, real memory: a number that a probe gives is compared with what a program in
the cgroup really did, or with the kernel's own file.
"""

import select
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

import pytest

from barograph.metrics import PeakKind
from collector.errors import TargetGone
from collector.probes.port import Probe, Reading
from tests.cells import MIB, PYTHON, Cell, cell, eat, make_cell

NOISE = 3 * MIB
"""What an interpreter may take beside what it was told to take."""


def wait_until_held(probe: Probe, at_least: int, timeout_s: float = 60.0) -> Reading:
    deadline = time.monotonic() + timeout_s
    while (reading := probe.read()).anon_bytes is not None:
        if reading.anon_bytes >= at_least:
            return reading
        assert time.monotonic() < deadline, "the program never held what it should"
        time.sleep(0.02)
    raise AssertionError(reading)


class ProbeSuite(ABC):
    @abstractmethod
    def open(self, target: Cell, *, ours: bool) -> Probe:
        """The probe under test, on a cgroup."""

    @pytest.fixture
    def target(self) -> Iterator[Cell]:
        with cell() as made:
            yield made

    @pytest.fixture
    def probe(self, target: Cell) -> Iterator[Probe]:
        opened = self.open(target, ours=True)
        yield opened
        opened.close()

    def test_a_fresh_cgroup_has_begun_to_count_at_zero(self, probe: Probe) -> None:
        reading = probe.read()
        assert reading.oom_kill_total == 0
        assert reading.limit_hits_total == 0
        assert reading.limit_bytes is None
        assert reading.pids == 0
        assert reading.cpu_usage_us is not None
        assert reading.usage_bytes is not None
        assert reading.usage_bytes < NOISE

    def test_pressure_io_and_cpu_are_known_here(self, probe: Probe) -> None:
        reading = probe.read()
        missing = [
            name
            for name in Reading.__dataclass_fields__
            if name.startswith(("psi_", "cpu_", "io_")) and getattr(reading, name) is None
        ]
        assert missing == []
        assert [gap for gap in probe.gaps if "interval_peak" in gap.probe] == []

    def test_memory_that_is_held_is_usage_and_anonymous(self, target: Cell, probe: Probe) -> None:
        process = target.start(eat(50 * MIB, hold_s=60))
        reading = wait_until_held(probe, 50 * MIB)
        process.kill()
        process.wait()
        assert reading.anon_bytes is not None
        assert reading.working_set_bytes is not None
        assert reading.usage_bytes is not None
        assert reading.anon_bytes <= reading.usage_bytes
        assert reading.anon_bytes <= reading.working_set_bytes + MIB
        assert reading.pids == 1

    def test_the_peak_of_an_interval_is_what_was_freed_again(
        self, target: Cell, probe: Probe
    ) -> None:
        probe.read()
        target.run(eat(80 * MIB))
        reading = probe.read()
        assert reading.peak_kind is PeakKind.INTERVAL
        assert reading.peak_bytes is not None
        assert reading.usage_bytes is not None
        assert reading.peak_bytes >= 80 * MIB
        assert reading.usage_bytes < 40 * MIB
        after = probe.read()
        assert after.peak_bytes is not None
        assert after.peak_bytes < 40 * MIB
        assert after.lifetime_peak_bytes is not None
        assert after.lifetime_peak_bytes >= reading.peak_bytes

    def test_no_peak_is_below_its_usage(self, target: Cell, probe: Probe) -> None:
        churn = "import time\nfor i in range(10**9): b = b'x' * (i % 40 << 20)"
        process = target.start([*PYTHON, churn])
        for _ in range(200):
            reading = probe.read()
            assert reading.peak_bytes is not None
            assert reading.usage_bytes is not None
            assert reading.peak_bytes >= reading.usage_bytes
        process.kill()
        process.wait()

    def test_the_lifetime_peak_outlives_whoever_reset_the_interval(self, target: Cell) -> None:
        first = self.open(target, ours=True)
        first.read()
        target.run(eat(60 * MIB))
        first.read()
        first.close()
        second = self.open(target, ours=True)
        lifetime = second.read().lifetime_peak_bytes
        second.close()
        assert lifetime is not None
        assert lifetime >= 60 * MIB

    def test_a_foreign_cgroup_is_left_as_it_is(self, target: Cell) -> None:
        name = "memory.max_usage_in_bytes" if target.version == 1 else "memory.peak"
        target.run(eat(30 * MIB))
        before = (target.memory / name).read_text()
        probe = self.open(target, ours=False)
        readings = [probe.read() for _ in range(3)]
        probe.close()
        assert (target.memory / name).read_text() == before
        kinds = {reading.peak_kind for reading in readings}
        assert kinds == {PeakKind.LIFETIME if target.version == 1 else PeakKind.INTERVAL}
        assert readings[-1].lifetime_peak_bytes == int(before)

    def test_the_ceiling_in_force_is_read_each_time(self, target: Cell, probe: Probe) -> None:
        target.limit(64 * MIB)
        assert probe.read().limit_bytes == 64 * MIB
        target.limit(32 * MIB)
        assert probe.read().limit_bytes == 32 * MIB

    def test_a_kill_wakes_and_is_counted(self, target: Cell, probe: Probe) -> None:
        target.limit(20 * MIB)
        assert probe.wake_fd is not None
        poller = select.poll()
        poller.register(probe.wake_fd, probe.wake_mask)
        probe.woken()
        assert poller.poll(0) == []
        _, code = target.run(eat(100 * MIB))
        assert code == -9
        assert poller.poll(5000) != []
        assert probe.woken()
        assert probe.kill_count() == target.kills == 1
        reading = probe.read()
        assert reading.oom_kill_total == 1
        assert reading.limit_hits_total is not None
        assert reading.limit_hits_total > 0
        assert reading.peak_bytes is not None
        assert 18 * MIB <= reading.peak_bytes <= 20 * MIB

    def test_cpu_time_and_throttling_are_counted(self, target: Cell, probe: Probe) -> None:
        if target.version == 1:
            cpu = target.folders["cpu"]
            settings = {"cpu.cfs_period_us": "20000", "cpu.cfs_quota_us": "5000"}
        else:
            cpu, settings = target.folders["unified"], {"cpu.max": "5000 20000"}
        for name, value in settings.items():
            (Path(cpu) / name).write_text(value, encoding="ascii")
        before, began = probe.read(), time.monotonic()
        # From here on: what it took to become this program was spent outside of the cgroup.
        work = "begun = time.process_time()\nwhile time.process_time() < begun + 0.2: pass"
        target.run([*PYTHON, f"import time\n{work}"])
        after, took_us = probe.read(), (time.monotonic() - began) * 1e6
        assert after.cpu_usage_us is not None
        assert before.cpu_usage_us is not None
        used_us = after.cpu_usage_us - before.cpu_usage_us
        assert used_us > 180_000, f"{took_us} us passed"
        # Twice: in the emulated guest the clocks of both are not one.
        assert used_us < 2 * took_us, f"{took_us} us passed"
        for name in ("cpu_periods", "cpu_throttled_periods", "cpu_throttled_us"):
            assert getattr(after, name) > getattr(before, name)

    def test_members_are_who_is_there_now(self, target: Cell, probe: Probe) -> None:
        assert probe.members() == []
        processes = [target.start([*PYTHON, "import time; time.sleep(60)"]) for _ in range(3)]
        deadline = time.monotonic() + 30
        expected = sorted(process.pid for process in processes)
        while sorted(probe.members()) != expected and time.monotonic() < deadline:
            time.sleep(0.01)
        assert sorted(probe.members()) == expected
        for process in processes:
            process.kill()
            process.wait()
        assert probe.members() == []

    @pytest.mark.parametrize("prefix", [[], ["unshare", "--net"]], ids=["shared", "own"])
    def test_traffic_is_known_only_of_a_network_of_its_own(
        self, target: Cell, probe: Probe, prefix: list[str]
    ) -> None:
        process = target.start([*prefix, *PYTHON, "import time; time.sleep(60)"])
        deadline = time.monotonic() + 10
        while probe.read().net_rx_bytes is None and time.monotonic() < deadline:
            probe.members()
            time.sleep(0.05)
            if not prefix and time.monotonic() > deadline - 9:
                break
        reading = probe.read()
        process.kill()
        process.wait()
        expected = (0, 0) if prefix else (None, None)
        assert (reading.net_rx_bytes, reading.net_tx_bytes) == expected

    def test_a_removed_cgroup_is_gone_and_not_an_error(self, target: Cell, probe: Probe) -> None:
        assert probe.wake_fd is not None
        poller = select.poll()
        poller.register(probe.wake_fd, probe.wake_mask)
        target.remove()
        for read in (probe.read, probe.kill_count, probe.members):
            with pytest.raises(TargetGone):
                read()
        assert poller.poll(5000) != []
        probe.woken()

    def test_a_cgroup_that_is_not_there_cannot_be_opened(self) -> None:
        missing = make_cell()
        missing.remove()
        with pytest.raises(TargetGone):
            self.open(missing, ours=True)

    def test_closing_gives_every_descriptor_back(self, target: Cell) -> None:
        def count() -> int:
            return sum(1 for _ in Path("/proc/self/fd").iterdir())

        self.open(target, ours=True).close()
        before = count()
        for _ in range(20):
            probe = self.open(target, ours=True)
            probe.read()
            probe.close()
            probe.close()
        assert count() == before
