"""The second is kept by arithmetic, so it can be proved without waiting for it."""

from hypothesis import given
from hypothesis import strategies as st

from collector.cadence import STEP_FROM_US, Cadence, WallWatch
from collector.kernel_clock import KernelClock

SECOND = 1_000_000


def test_nothing_is_due_before_the_first_interval_is_over() -> None:
    cadence = Cadence(start_us=100, interval_us=SECOND)
    assert cadence.due(100 + SECOND - 1) is None
    tick = cadence.due(100 + SECOND)
    assert tick is not None
    assert (tick.number, tick.late_us, tick.missed) == (1, 0, 0)


def test_lateness_does_not_move_the_next_deadline() -> None:
    cadence = Cadence(start_us=0, interval_us=SECOND)
    for number in range(1, 601):
        tick = cadence.due(number * SECOND + 900_000)
        assert tick is not None
        assert (tick.number, tick.late_us, tick.missed) == (number, 900_000, 0)
    assert cadence.deadline_us == 601 * SECOND


def test_deadlines_that_passed_are_counted_and_the_latest_is_served() -> None:
    cadence = Cadence(start_us=0, interval_us=SECOND)
    tick = cadence.due(4 * SECOND + 5)
    assert tick is not None
    assert (tick.number, tick.late_us, tick.missed) == (4, 5, 3)
    assert cadence.due(4 * SECOND + 6) is None


@given(
    start=st.integers(0, 2**40),
    interval=st.integers(1, 2**30),
    waits=st.lists(st.integers(0, 2**32), min_size=1, max_size=50),
)
def test_every_deadline_is_served_or_missed_exactly_once(
    start: int, interval: int, waits: list[int]
) -> None:
    cadence, now, accounted = Cadence(start_us=start, interval_us=interval), start, 0
    for wait in waits:
        now += wait
        tick = cadence.due(now)
        if tick is not None:
            accounted += tick.missed + 1
            assert tick.number == accounted
            assert 0 <= tick.late_us < interval
        assert cadence.deadline_us > now
    assert accounted == (now - start) // interval


def test_a_wall_clock_that_is_set_is_noticed_once_and_in_its_direction() -> None:
    wall = WallWatch()
    assert wall.step_us(wall_us=1_000_000, mono_us=0) is None
    assert wall.step_us(wall_us=2_000_100, mono_us=SECOND) is None
    assert wall.step_us(wall_us=2_000_100 - 5 * SECOND, mono_us=SECOND) == -5 * SECOND
    assert wall.step_us(wall_us=2_000_100 - 4 * SECOND, mono_us=2 * SECOND) is None


def test_slewing_is_no_step_even_when_it_goes_on_for_hours() -> None:
    wall, mono = WallWatch(), 0
    for number in range(7200):
        mono = number * SECOND
        assert wall.step_us(wall_us=mono + number * 500, mono_us=mono) is None
    assert wall.step_us(wall_us=mono + 7200 * 500 + STEP_FROM_US, mono_us=mono) is not None


def test_the_kernel_log_is_assumed_to_agree_until_a_fresh_record_tells() -> None:
    clock = KernelClock()
    assert clock.mono_us(500) == 500
    clock.saw(stamp_us=1000, now_us=1900)
    clock.saw(stamp_us=2000, now_us=2400)
    clock.saw(stamp_us=3000, now_us=9000)
    assert clock.mono_us(5000) == 5400
