"""The sentence on Pipeline: trust by default, doubt with its reason."""

from dataclasses import replace

import pytest

from barograph.shipping.keeping import Shipping
from store.pages.pipeline import NowRow, Pipeline, ProbeRow
from store.story import GapRow, HostKills
from ui.explorer.trust import Gaps, trust

NOW = NowRow(
    first_t_us=0,
    newest_t_us=10,
    sources=2,
    collectors=1,
    dead_letters=0,
    unknown_events=0,
    missed_ticks=0,
    missed_late_us=None,
    served_ticks=10_000,
    dropped_samples=0,
    thinnings=0,
    clock_steps=0,
    largest_step_us=None,
    self_interval_us=1,
    self_cpu_us=1,
    self_rss_bytes=1,
    self_lateness_us=1,
    self_events=1,
    self_targets=1,
)
HOST = HostKills(
    host="h1",
    incarnations=1,
    first_t_us=0,
    last_t_us=10,
    counted=68,
    attributed=68,
    foreign=0,
    unclaimed=0,
    outside=0,
)
RIGHT = Pipeline(
    now=NOW,
    from_us=0,
    to_us=10,
    bin_us=1,
    collector=[],
    losses=[],
    kills=[],
    hosts=[HOST],
    gaps=[],
    probes=[],
    letters=[],
    shippers=[],
)


def gap(first: int, last: int, by: str | None) -> GapRow:
    return GapRow(source="c1", first=first, last=last, explained_by=by)


def test_when_all_is_there_it_says_so_with_the_audit() -> None:
    said = trust(RIGHT, lag_s=0.1, load_error=None)
    assert said.sentence == (
        "You can trust what you see: every event arrived, "
        "and all 68 kills that the kernel counted have a name"
    )
    assert (said.doubts, said.remarks) == ((), ())


def test_no_kill_is_no_audit_to_boast_of() -> None:
    quiet = replace(RIGHT, hosts=[replace(HOST, counted=0, attributed=0)])
    said = trust(quiet, lag_s=None, load_error=None).sentence
    assert said.endswith("every event arrived, and the kernel counted no kill")


def test_nothing_written_is_nothing_to_trust() -> None:
    nothing = replace(RIGHT, now=replace(NOW, sources=0), hosts=[])
    assert "nothing to trust yet" in trust(nothing, lag_s=None, load_error=None).sentence


@pytest.mark.parametrize(
    ("found", "lag_s", "error", "doubt"),
    [
        (replace(RIGHT, gaps=[gap(3, 5, None)]), 0.1, None, "3 events are lost, or come late"),
        (replace(RIGHT, gaps=[gap(3, 3, None)]), 0.1, None, "1 event is lost, or comes late"),
        (replace(RIGHT, now=replace(NOW, dead_letters=2)), 0.1, None, "2 pieces of the log"),
        (replace(RIGHT, hosts=[replace(HOST, unclaimed=1)]), 0.1, None, "that nobody names"),
        (replace(RIGHT, now=replace(NOW, missed_ticks=500)), 0.1, None, "500 of 10,500 ticks"),
        (replace(RIGHT, now=replace(NOW, collectors=0)), 0.1, None, "there is no telemetry"),
        (RIGHT, 61.0, None, "the tables are 1 min 01 s behind the log"),
        (RIGHT, 0.1, "disk full", "the last load failed (disk full)"),
    ],
)
def test_each_doubt_is_said(found: Pipeline, lag_s: float, error: str | None, doubt: str) -> None:
    said = trust(found, lag_s=lag_s, load_error=error)
    assert said.sentence.startswith("Be careful: ")
    assert doubt in said.doubts[0]


def test_several_doubts_are_counted() -> None:
    found = replace(RIGHT, gaps=[gap(1, 1, None)], now=replace(NOW, dead_letters=1))
    assert trust(found, lag_s=None, load_error=None).sentence.endswith("and 1 doubt more below")


def test_what_is_explained_is_a_remark_and_no_doubt() -> None:
    found = replace(
        RIGHT,
        gaps=[gap(1, 4, "thinned")],
        now=replace(NOW, missed_ticks=2, clock_steps=1, largest_step_us=-5000),
        probes=[ProbeRow(probe="psi", reason="no", told=1, t_us=0)],
    )
    said = trust(found, lag_s=0.1, load_error=None)
    assert said.doubts == ()
    assert said.remarks == (
        "4 samples given up on purpose, which is recorded",
        "2 ticks missed, too few to matter",
        "the clock stepped 1 time, by 5 ms at most",
        "1 probe cannot work here",
    )


def test_gaps_are_counted_by_what_explains_them() -> None:
    rows = [
        gap(0, 9, None),
        gap(20, 21, "thinned"),
        gap(23, 25, "refused"),
        gap(30, 30, "dead_letter"),
        gap(40, 43, "pruned"),
        gap(50, 50, "left_out"),
    ]
    found = Gaps.of(rows)
    assert found == Gaps(lost=10, thinned=2, refused=3, dead=1, removed=5)
    assert found.explained == 11


def test_what_waits_for_a_broker_is_a_doubt_when_something_is_wrong() -> None:
    waits = Shipping(
        log="kafka:b:1", pid=1, waiting_bytes=3 << 20, complete_t_us=None, error="no broker answers"
    )
    said = trust(RIGHT, lag_s=0.1, load_error=None, shipping=waits)
    assert said.doubts == ("3 MiB of the journal here wait for the shared log (no broker answers)",)
    under_way = replace(waits, error=None)
    assert trust(RIGHT, lag_s=0.1, load_error=None, shipping=under_way).doubts == ()
