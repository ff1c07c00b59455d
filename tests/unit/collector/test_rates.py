"""Counters to differences: what holds for any reads, however a counter jumps."""

import itertools
from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from barograph.facts import Sample
from barograph.metrics import METRICS, PeakKind
from collector import rates
from collector.counters import delta
from collector.probes.port import Reading

counts = st.one_of(st.none(), st.integers(min_value=0, max_value=2**62))
readings = st.builds(
    Reading,
    peak_kind=st.one_of(st.none(), st.sampled_from(PeakKind)),
    **{field.name: counts for field in fields(Reading) if field.name != "peak_kind"},
)


@given(before=counts, after=counts)
def test_a_difference_is_missing_exactly_where_a_read_is(
    before: int | None, after: int | None
) -> None:
    missing = before is None or after is None
    assert (delta(before, after) is None) is missing


@given(steps=st.lists(st.integers(min_value=0, max_value=2**40), min_size=1))
def test_differences_add_up_to_the_whole_way(steps: list[int]) -> None:
    counter, reads = 0, [0]
    for step in steps:
        counter += step
        reads.append(counter)
    differences = [delta(a, b) for a, b in itertools.pairwise(reads)]
    assert sum(value for value in differences if value is not None) == sum(steps)


@given(before=st.integers(0, 2**62), after=st.integers(0, 2**62))
def test_a_counter_that_fell_has_begun_again(before: int, after: int) -> None:
    assert delta(before, after) == (after - before if after >= before else after)


@given(before=readings, after=readings, interval_us=st.integers(0, 2**40))
def test_no_number_of_a_sample_is_negative_and_gauges_are_the_later_read(
    before: Reading, after: Reading, interval_us: int
) -> None:
    sample = rates.sample(before, after, interval_us=interval_us)
    values = {metric.name: getattr(sample, metric.name) for metric in METRICS}
    assert all(value is None or value >= 0 for value in values.values())
    assert sample.interval_us == interval_us
    assert sample.usage_bytes == after.usage_bytes
    assert sample.peak_bytes == after.peak_bytes
    assert sample.pids == after.pids


@given(reading=readings)
def test_two_equal_reads_show_that_nothing_happened(reading: Reading) -> None:
    sample = rates.sample(reading, reading, interval_us=1)
    deltas = [getattr(sample, metric.name) for metric in METRICS if metric.kind == "delta"]
    assert all(value in {0, None} for value in deltas[1:])


def test_every_metric_of_the_table_is_filled_by_a_full_reading() -> None:
    full = {field.name: 7 for field in fields(Reading) if field.name != "peak_kind"}
    reading = Reading(peak_kind=PeakKind.INTERVAL, **full)
    sample = rates.sample(reading, reading, interval_us=1)
    assert [m.name for m in METRICS if getattr(sample, m.name) is None] == []
    assert sample != Sample()


def test_a_target_that_was_never_read_ends_without_numbers() -> None:
    end = rates.final(None, read_by="runner", reason="left_over", samples=None)
    assert end.peak_bytes is None
    assert end.oom_kill_total is None
    assert end.read_by == "runner"
