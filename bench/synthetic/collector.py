"""What the collectors of the large sweep tell: one on each host, at 1 Hz, for all its targets.

Their events go through ``JournalLog.append``, one batch a tick as from a living collector, so
that every line is the codec's and files turn over as they do. What goes wrong in two days
goes wrong here: a collector is restarted and begins a new source, ticks are missed, seqs are
missing with and without an explanation, a wall clock steps, a kill is told twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from barograph.envelope import NOTHING, Belongs, Event
from barograph.facts import (
    ClockStepped,
    CollectorSelf,
    HostInfo,
    HostOomKill,
    HostSample,
    OomKill,
    Payload,
    ProbeUnavailable,
    Sample,
    SamplesThinned,
    SandboxDestroyed,
    SeqRange,
    TickMissed,
)
from barograph.log.journal import JournalLog
from barograph.units import GIB
from barograph.writer import Said
from bench.synthetic.plan import BOOT_US, START_US, US, Try, dice_of
from bench.synthetic.traces import VICTIMS, commands, moment_us, trace
from bench.synthetic.wording import belongs_of, host_name, pid_of

_MEMORY: Final = 256 * GIB
_RESTARTED_HOST: Final = 2
_STEPPED_HOST: Final = 1
_DOWN_TICKS: Final = 15


@dataclass(slots=True)
class _Watched:
    """A target while it is watched."""

    one: Try
    belongs: Belongs
    samples: Iterator[Sample]
    skipped: int = 0
    """Ticks since it was last read."""
    peak: int = 0
    cpu: int = 0
    throttled: int = 0
    stalled: int = 0
    count: int = 0


class Collector:
    """The collector of one host, tick by tick."""

    def __init__(self, log: JournalLog, host: int) -> None:
        """Begin with nothing to watch."""
        self._log = log
        self.host = host
        self.events = 0
        self.samples = 0
        self._source = ""
        self._seq = 0
        self._kills = 0
        self._step_us = 0
        self._batch: list[Said] = []
        self._watched: dict[int, _Watched] = {}

    def run(self, tries: Sequence[Try]) -> None:
        """Watch the tries of this host, in order of their beginning."""
        waiting = [one for one in reversed(tries) if one.seconds]
        ticks = (max(one.end_us for one in tries) - START_US) // US + 2
        self.begin(0, START_US - 3 * US)
        down = range(0)
        for tick in range(ticks):
            now = START_US + tick * US
            while waiting and waiting[-1].first_us <= now:
                self.watch(waiting.pop())
            if self.host == _RESTARTED_HOST and tick == ticks // 2:
                down = range(tick, tick + _DOWN_TICKS)
                self.begin(1, now + _DOWN_TICKS * US - 300_000)
            missed = tick % 9_973 == 4_711 + self.host
            if missed:
                self._say(now + US, TickMissed(first_tick=tick, ticks=1, late_us=1_020_000))
            self.tick(now, silent=missed or tick in down)
            if tick not in down:
                self.about_itself(tick, now)
                self._mishaps(tick, ticks, now)
            self.flush()

    def watch(self, one: Try) -> None:
        """Take up a target."""
        self._watched[one.slot] = _Watched(one, belongs_of(one), trace(one))

    def tick(self, now: int, *, silent: bool = False) -> list[Try]:
        """Read every target; those that ended now."""
        gone: list[Try] = []
        for target in self._watched.values():
            sample = next(target.samples)
            target.count += 1
            target.peak = max(target.peak, sample.peak_bytes or 0)
            target.cpu += sample.cpu_usage_us or 0
            target.throttled += sample.cpu_throttled_periods or 0
            target.stalled += sample.psi_memory_full_us or 0
            if silent:
                target.skipped += 1
            else:
                if target.skipped:
                    whole = (sample.interval_us or 0) + target.skipped * US
                    sample = replace(sample, interval_us=whole)
                    target.skipped = 0
                self._say(moment_us(target.one, now), sample, target.belongs)
                self.samples += 1
            if target.count == target.one.seconds:
                gone.append(target.one)
        for one in gone:
            self._end(now + 9_000 + one.slot, self._watched.pop(one.slot))
        return gone

    def _end(self, now: int, target: _Watched) -> None:
        one = target.one
        killed = one.fate == "killed"
        if killed:
            self._kills += 1
            kill = _kill(one, now)
            self._say(now, kill, target.belongs)
            if one.number % 50 == 0:
                # Told again by one who knows less.
                poor = OomKill(ordinal=1, counter_before=0, counter_after=1)
                self._say(now + 900, poor, target.belongs)
        end = SandboxDestroyed(
            read_by="collector",
            reason="owner_gone" if one.fate == "cancelled" else "finished",
            peak_bytes=target.peak,
            oom_kill_total=int(killed),
            oom_group_kill_total=int(killed),
            oom_total=int(killed),
            cpu_usage_us=target.cpu,
            cpu_periods=10 * target.count,
            cpu_throttled_periods=target.throttled,
            cpu_throttled_us=target.throttled * 41_300,
            psi_memory_some_us=target.stalled * 3,
            psi_memory_full_us=target.stalled,
            samples=target.count,
        )
        self._say(now + 150_000, end, target.belongs)

    def about_itself(self, tick: int, now: int) -> None:
        """Tell of the host and, every ten ticks, of the collector."""
        load = len(self._watched)
        busy = (tick * 2_654_435_761 + self.host) % 997
        sample = HostSample(
            interval_us=US + busy - 500,
            load1=round(load * 0.7 + busy / 100, 2),
            memory_available_bytes=_MEMORY - load * (GIB + busy * 300_000),
            memory_total_bytes=_MEMORY,
            cpu_busy_us=load * 400_000 + busy * 900,
            psi_memory_some_us=busy * (90 if busy < 40 else 1),
            psi_memory_full_us=busy * (30 if busy < 40 else 0),
            psi_cpu_some_us=load * 2_000 + busy,
            psi_io_some_us=busy * 11,
            psi_io_full_us=busy * 2,
            net_rx_bytes=busy * 3_000,
            net_tx_bytes=busy * 700,
            targets=load,
            oom_kill_total=17 + self._kills,
            disk_free_bytes=900 * GIB - tick * 65_536,
        )
        self._say(now + 12_000, sample)
        if tick % 10 == 9:
            own = CollectorSelf(
                interval_us=10 * US,
                cpu_us=90_000 + busy * 60,
                rss_bytes=29_000_000 + busy * 4_096,
                ticks=10,
                targets=load,
                lateness_max_us=150 + busy,
                lateness_mean_us=90 + busy // 20,
                events_written=10 * load + 11,
                samples_dropped=0,
                open_files=40 + 6 * load,
            )
            self._say(now + 12_500, own)

    def _mishaps(self, tick: int, ticks: int, now: int) -> None:
        dice = dice_of("mishap", self.host, tick) if tick % 7_919 == 3_000 else None
        if dice is not None:
            lost = dice.randrange(5, 200)
            self.flush()
            thinned = SamplesThinned(
                reason="log full",
                ranges=[SeqRange(source=self._source, first=self._seq, last=self._seq + lost - 1)],
                first_t_us=now,
                last_t_us=now + US,
            )
            self._seq += lost
            if dice.random() < 0.6:
                self._say(now + 13_000, thinned)
            foreign = HostOomKill(
                victim_pid=dice.randrange(900, 90_000),
                victim_comm="mysqld",
                constraint="CONSTRAINT_MEMCG",
                oom_cgroup="/system.slice/other.service",
                task_cgroup="/system.slice/other.service",
            )
            self._kills += 1
            self._say(now + 14_000, foreign)
        if self.host == _STEPPED_HOST and tick == ticks // 3:
            self._step_us = 180_000
            self._say(now, ClockStepped(step_us=self._step_us))

    def begin(self, incarnation: int, now: int) -> None:
        """Begin a new source."""
        self.flush()
        self._source, self._seq = f"clarge{self.host:03d}{incarnation:03d}", 0
        info = HostInfo(
            host=host_name(self.host),
            cores=64,
            memory_bytes=_MEMORY,
            kernel="6.12.0",
            cgroup_version=2,
            psi=True,
            swap_bytes=0,
            cpu_model="Some Processor",
        )
        self._say(now, info)
        self._say(now + 10, ProbeUnavailable(probe="net", reason="a network that others share"))

    def flush(self) -> None:
        """Hand over what was said since the last time."""
        said, self._batch = self._batch, []
        self._hand_over(said)
        self.events += len(said)

    def _say(self, t_us: int, payload: Payload, belongs: Belongs = NOTHING) -> None:
        self._batch.append(Said(payload, belongs, t_us + self._step_us, t_us - BOOT_US))

    def _hand_over(self, said: Sequence[Said]) -> None:
        self._log.append(
            [
                Event(
                    source=self._source,
                    seq=seq,
                    t_us=item.t_us or 0,
                    mono_us=item.mono_us or 0,
                    belongs=item.belongs,
                    payload=item.payload,
                )
                for seq, item in enumerate(said, self._seq)
            ]
        )
        self._seq += len(said)


def _kill(one: Try, now: int) -> OomKill:
    box = f"/barograph/large/{one.target}"
    limit = one.ceiling_bytes or 0
    said = commands(one)
    dice = dice_of("kill", one.number, one.try_no)
    return OomKill(
        ordinal=1,
        counter_before=0,
        counter_after=1,
        read_before_t_us=now - 1_700,
        read_after_t_us=now,
        victim_pid=pid_of(one, len(said)) + 3,
        victim_session_pid=pid_of(one, len(said)),
        victim_comm=dice.choice(VICTIMS),
        victim_rss_bytes=int(limit * 0.95),
        victim_anon_bytes=int(limit * 0.93),
        killed_t_us=now - 2_000,
        constraint="CONSTRAINT_MEMCG",
        oom_cgroup=box,
        task_cgroup=box,
        victim_from="kernel_log",
        limit_bytes=limit,
    )
