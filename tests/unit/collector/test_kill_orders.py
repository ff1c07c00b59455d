"""Any order in which evidence of kills may arrive: one fact each, and no wrong name."""

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from barograph.facts import OomKill
from barograph.writer import Said
from collector.kills import KillLedger
from collector.tallies import Victim
from tests.unit.collector.ledgers import hosts, opened, victim

MS = 1000


@dataclass
class World:
    """Kills as they really happen, and what the ledger is told of them."""

    ledger: KillLedger = field(default_factory=KillLedger)
    now: int = 0
    counters: dict[str, int] = field(default_factory=lambda: {"a": 0, "b": 0})
    victims: dict[str, set[int]] = field(
        default_factory=lambda: {"a": set(), "b": set(), "x": set()}
    )
    log: list[tuple[Victim, list[str]]] = field(default_factory=list[tuple[Victim, list[str]]])
    pids: int = 100
    lost: int = 0

    def kill(self, where: str, told: str) -> None:
        self.pids += 1
        self.victims[where].add(self.pids)
        if where in self.counters:
            self.counters[where] += 1
        path = f"/{where}" if told == "by path" else None
        names = [where] if told != "namelessly" and where in self.counters else []
        if told != "never":
            self.log.append((victim(self.pids, at=self.now, path=path), names))
        else:
            self.lost += 1

    def read_log(self) -> None:
        for one, names in self.log:
            one.arrived_us = self.now
            for name in names:  # as the collector does: the log says that it has moved
                self.read_counter(name)
            self.ledger.accuse(one, names)
        self.log.clear()

    def read_counter(self, name: str) -> None:
        self.ledger.count(name, self.counters[name], t_us=self.now, now_us=self.now)


STEPS = st.one_of(
    st.tuples(
        st.just("kill"),
        st.sampled_from("abx"),
        st.sampled_from(["by path", "by pid", "namelessly", "never"]),
    ),
    st.tuples(st.just("log"), st.just(""), st.just("")),
    st.tuples(st.just("count"), st.sampled_from("ab"), st.just("")),
    st.tuples(st.just("wait"), st.sampled_from(["1", "90", "200", "3000"]), st.just("")),
)


@settings(max_examples=300, deadline=None)
@given(steps=st.lists(STEPS, max_size=60))
def test_whatever_the_order_every_kill_is_told_once_and_no_name_is_wrong(
    steps: list[tuple[str, str, str]],
) -> None:
    world = World()
    for name in world.counters:
        opened(world.ledger, name)
    for what, which, how in steps:
        world.now += MS
        match what:
            case "kill":
                world.kill(which, how)
            case "log":
                world.read_log()
            case "count":
                world.read_counter(which)
            case _:
                world.now += int(which) * MS
        world.ledger.settle(world.now)
    for name in world.counters:
        world.read_counter(name)
    world.read_log()
    for name in world.counters:
        world.ledger.close(name, counter_is_final=True, now_us=world.now)
    world.ledger.settle(world.now, hurry=True)
    told = world.ledger.take()
    check(world, told)


def check(world: World, told: list[Said]) -> None:
    named: list[int] = []
    total = 0
    for name, count in world.counters.items():
        rows: dict[int, int | None] = {}
        for said in told:
            fact = said.payload
            if isinstance(fact, OomKill) and said.belongs.target == name:
                rows[fact.ordinal] = rows.get(fact.ordinal) or fact.victim_pid
        assert sorted(rows) == list(range(1, count + 1))
        total += count
        pids = [pid for pid in rows.values() if pid is not None]
        assert set(pids) <= world.victims[name]
        named += pids
    assert len(named) == len(set(named))
    foreign = hosts(told)
    assert len(foreign) == len(set(foreign))
    # Never more facts than kills; and with nothing lost by the log, not one fewer.
    everything = sum(map(len, world.victims.values()))
    assert total + len(foreign) <= everything
    assert total + len(foreign) >= everything - world.lost
