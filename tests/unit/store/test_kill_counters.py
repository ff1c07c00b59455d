"""A host's counter of kills, read by collectors that overlap, is counted once and to its end."""

from hypothesis import given, settings
from hypothesis import strategies as st

from barograph.codec import encode
from barograph.envelope import Event
from barograph.facts import HostInfo, HostSample, Payload
from store.pages.pipeline import pipeline
from store.reader import Reader
from tests.stores import chunk, empty_store, load

HOST = HostInfo(host="h1", cores=2, memory_bytes=1 << 30, kernel="6")

READINGS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["c1", "c2"])), min_size=1, max_size=30
)
"""How much the counter grew since the reading before, and who reads it now."""


@settings(max_examples=40, deadline=None)
@given(before_boot=READINGS, after_boot=st.none() | READINGS)
def test_kills_are_counted_as_they_happened(
    before_boot: list[tuple[int, str]], after_boot: list[tuple[int, str]] | None
) -> None:
    told: dict[str, list[tuple[Payload, int]]] = {}
    at, total, kills = 0, 7, 0
    for boot, readings in enumerate([before_boot, after_boot or []]):
        total = 0 if boot else total
        for number, (grown, reader) in enumerate(readings):
            at += 10
            total += grown
            # What a counter had before anybody read it is nobody's; after a boot all of it is new.
            kills += grown if boot or number else 0
            said = told.setdefault(f"{reader}boot{boot}", [(HOST, at)])
            said.append((HostSample(oom_kill_total=total), at))
    if after_boot and sum(grown for grown, _ in after_boot[:1]) >= sum(
        (7, *(grown for grown, _ in before_boot))
    ):
        return  # no number shows such a boot
    database = empty_store()
    for source, said in told.items():
        lines = [
            encode(Event(source=source, seq=seq, t_us=t_us, mono_us=t_us, payload=fact))[:-1]
            for seq, (fact, t_us) in enumerate(said)
        ]
        load(database, chunk(lines, stream=source))
    (row,) = Reader(database).host_kills()
    assert (row.counted, row.first_t_us, row.last_t_us) == (kills, 10, at)
    assert row.incarnations == len(told)
    if not after_boot:
        counted = [each for each in pipeline(database).kills if each.kind == "counted"]
        assert sum(each.kills for each in counted) == kills
