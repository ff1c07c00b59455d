"""What a sweep's row counts is what the view of tries says, however often a fact was told."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from barograph.codec import encode
from barograph.envelope import Belongs, Event
from barograph.facts import Payload, SweepPlanned, TrialFinished
from store.reader import Reader
from tests.stores import chunk, empty_store, load
from tests.told import FINISHED, started

PLANNED = SweepPlanned(
    name="n", digest="d", seed=1, trials=9, attempts=3, spec={}, product_version="0",
    harness="h", tasks={"sort": "d"},
)  # fmt: skip
ENDS: Sequence[Payload] = [
    started(),
    FINISHED,
    replace(FINISHED, how="cancelled"),
    TrialFinished(how="sandbox_died", duration_s=1.0),
]
TOLD = st.lists(
    st.tuples(st.sampled_from(["t1", "t2", "t3"]), st.integers(1, 3), st.sampled_from(ENDS)),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(told=TOLD)
def test_counts_are_those_of_the_view(told: list[tuple[str, int, Payload]]) -> None:
    facts: list[tuple[Belongs, Payload]] = [(Belongs(sweep="s1"), PLANNED)]
    facts += [(Belongs(sweep="s1", trial=trial, try_no=no), fact) for trial, no, fact in told]
    lines = [
        encode(Event(source="r1", seq=seq, t_us=seq + 1, mono_us=seq, belongs=about, payload=fact))[
            :-1
        ]
        for seq, (about, fact) in enumerate(facts)
    ]
    database = empty_store()
    load(database, chunk(lines))
    (row,) = Reader(database).sweeps()
    (expected,) = database.ask("SELECT count(*), count(*) FILTER (outcome) FROM trial_try").rows
    assert (row.tries, row.standing) == expected
