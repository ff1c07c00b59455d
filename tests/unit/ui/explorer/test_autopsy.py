"""The autopsy and the pair: valid, honest about what is cut off, and no kill left out."""

import json
from dataclasses import replace

import pytest

from store.pages.trial import LaneSlice, NeighbourKill, NeighbourSlice
from tests.story_rows import KILL, KILLED, MIB, T0, at, command
from ui.explorer.charts import autopsy, autopsy_memory, autopsy_rest, pair, stack
from ui.explorer.charts.autopsy_shown import Autopsy, Limits
from ui.explorer.charts.base import spec_of
from ui.explorer.downloads import drawn
from ui.explorer.theme import THEMES, Mode

MODES: tuple[Mode, ...] = ("light", "dark")
LIMITS = Limits(
    spec_bytes=32 * MIB,
    floor_bytes=32 * MIB,
    ceiling_bytes=32 * MIB,
    peak_bytes=32 * MIB,
    peak_t_us=KILL.t_us,
    cut_off=True,
)
EVIL = "<b>x</b> \u202eevil\u0000 | `code` ' 🔥 " + "y" * 300


def one_slice(second: float, *, usage: int = MIB, peak: int = 2 * MIB) -> LaneSlice:
    return LaneSlice(
        first_t_us=at(second),
        t_us=at(second),
        samples=1,
        interval_us=1_000_000,
        usage_min_bytes=usage,
        usage_mean_bytes=float(usage),
        usage_max_bytes=usage,
        peak_bytes=peak,
        peak_kind=0,
        limit_bytes=32 * MIB,
        cpu_usage_us=300_000,
        cpu_throttled_us=100_000,
        psi_memory_some_us=50_000,
        psi_memory_full_us=10_000,
        psi_cpu_some_us=None,
        psi_io_some_us=20_000,
        oom_kills=0,
        pids=3,
    )


SLICES = [one_slice(second) for second in (1, 2, 3, 4)]
SHOWN = Autopsy(
    start_us=T0,
    low_us=T0,
    high_us=at(4.4),
    phases=KILLED.phases,
    commands=KILLED.execs,
    slices=SLICES,
    kills=[KILL],
    limits=LIMITS,
    neighbours=[NeighbourSlice(t_us=at(second), running=second) for second in range(4)],
    neighbour_kills=[
        NeighbourKill(
            t_us=at(2),
            trial="b" * 12,
            try_no=1,
            task="sort",
            contestant="thrifty",
            condition="2x",
            victim_comm="java",
        )
    ],
)


def text_of(shown: Autopsy) -> str:
    spec = spec_of(autopsy.figure(shown, THEMES["light"]), THEMES["light"].config())
    return json.dumps(spec, ensure_ascii=False)


@pytest.mark.parametrize("mode", MODES)
def test_the_figure_is_valid_and_can_be_drawn(mode: Mode) -> None:
    look = THEMES[mode]
    chart = autopsy.figure(SHOWN, look)
    chart.to_dict()  # validates
    svg = drawn(spec_of(chart, look.config()), "svg").decode()
    for said in ("python3 killed", "ceiling = floor = spec 32 MiB", "agent", "Pressure"):
        assert said in svg
    assert look.hues["memory"] in svg


@pytest.mark.parametrize(
    "shown",
    [
        replace(SHOWN, slices=[]),
        replace(SHOWN, slices=SLICES[:1]),
        replace(SHOWN, slices=[], kills=[], phases=[], commands=[], neighbours=[]),
        replace(SHOWN, kills=[], limits=replace(LIMITS, cut_off=False)),
        replace(SHOWN, phases=[], commands=[]),
        replace(
            SHOWN,
            limits=Limits(
                spec_bytes=None,
                floor_bytes=None,
                ceiling_bytes=None,
                peak_bytes=None,
                peak_t_us=None,
                cut_off=False,
            ),
        ),
        replace(
            SHOWN,
            slices=[
                replace(
                    SLICES[0], usage_min_bytes=None, usage_mean_bytes=None, usage_max_bytes=None,
                    peak_bytes=None, interval_us=None, cpu_usage_us=None, psi_memory_some_us=None,
                )
            ],
        ),
    ],
    ids=["no-telemetry", "one-sample", "nothing", "no-kill", "no-phases", "no-limits", "nulls"],
)  # fmt: skip
def test_whatever_is_missing_it_is_drawn(shown: Autopsy) -> None:
    chart = autopsy.figure(shown, THEMES["light"])
    chart.to_dict()
    drawn(spec_of(chart, THEMES["light"].config()), "svg")


def test_what_is_missing_is_said() -> None:
    assert autopsy.missing(SHOWN) == ["API calls are not recorded yet"]
    assert "no telemetry" in autopsy.missing(replace(SHOWN, slices=[]))[0]
    bare = replace(SLICES[0], cpu_usage_us=None, psi_memory_some_us=None)
    said = autopsy.missing(replace(SHOWN, slices=[bare]))
    assert said[:2] == ["CPU time was not measured", "pressure was not measured"]


def test_every_kill_in_the_span_is_a_mark_and_near_ones_share_a_name() -> None:
    kills = [replace(KILL, t_us=at(4.2) + place, ordinal=place + 1) for place in range(50)]
    text = text_of(replace(SHOWN, kills=kills))
    assert text.count('"killed": "python3 (pid 27028)"') >= 50
    assert "M python3 killed ×50" in text
    away = [replace(KILL, t_us=at(99))]
    assert "python3 killed" not in text_of(replace(SHOWN, kills=away))


def test_a_cut_off_peak_is_open_and_another_is_filled() -> None:
    paper, ink = THEMES["light"].paper, THEMES["light"].ink
    assert f'"fill": "{paper}"' in text_of(SHOWN)
    assert '"peak": "at least 32 MiB"' in text_of(SHOWN)
    whole = text_of(replace(SHOWN, kills=[], limits=replace(LIMITS, cut_off=False)))
    assert f'"fill": "{ink}"' in whole
    assert "at least" not in whole


def test_a_ceiling_far_above_is_named_and_does_not_flatten_the_trace() -> None:
    limits = replace(
        LIMITS, ceiling_bytes=1 << 40, floor_bytes=None, peak_bytes=2 * MIB, cut_off=False
    )
    assert autopsy_memory.top_bytes(SLICES, limits) < 4 * MIB
    assert "ceiling 1 TiB, above this axis" in text_of(replace(SHOWN, limits=limits))


def test_twenty_thousand_commands_are_cut_and_the_killed_one_stays() -> None:
    many = [command(number, number * 0.0002, f"cmd {number}") for number in range(20_000)]
    many[17] = replace(many[17], how="timeout", duration_s=0.0)
    kept, left_out = autopsy_rest.drawn_commands(many, [19_999], T0, at(10))
    assert len(kept) == autopsy_rest.MOST_COMMANDS
    assert left_out == 20_000 - autopsy_rest.MOST_COMMANDS
    assert {17, 19_999} <= {one.ordinal for one in kept}
    assert [one.started_t_us for one in kept] == sorted(one.started_t_us for one in kept)


def test_names_cannot_turn_the_figure_around() -> None:
    kills = [replace(KILL, victim_comm=EVIL, command=EVIL)]
    shown = replace(SHOWN, kills=kills, commands=[command(1, 1.0, EVIL)])
    text = text_of(shown)
    assert "\u202e" not in text
    assert "y" * 200 not in text
    drawn(spec_of(autopsy.figure(shown, THEMES["dark"]), THEMES["dark"].config()), "svg")


def test_a_line_does_not_run_over_missing_samples() -> None:
    spec = spec_of(
        autopsy.figure(
            replace(SHOWN, slices=[*SLICES, one_slice(40)], high_us=at(50)), THEMES["light"]
        ),
        {},
    )
    assert '{"x": 4.000001}' in json.dumps(spec)


def test_a_chosen_span_becomes_moments_within_what_is_shown() -> None:
    assert autopsy.span_of([1.0, 3.5], SHOWN) == (at(1), at(3.5))
    assert autopsy.span_of([3.5, 1.0], SHOWN) == (at(1), at(3.5))
    assert autopsy.span_of([-5, 1.0], SHOWN) == (T0, at(1))
    assert autopsy.span_of([1.0, 1.01], SHOWN) is None, "too short to mean anything"


@pytest.mark.parametrize(
    ("span_s", "unit"), [(5, "seconds"), (299, "seconds"), (600, "minutes"), (4 * 3600, "hours")]
)
def test_the_axis_has_a_unit_that_suits(span_s: int, unit: str) -> None:
    clock = stack.Clock.of(T0, span_s * 1_000_000)
    assert clock.unit == unit
    assert clock.t_us(clock.x(at(123.456))) == at(123.456)


@pytest.mark.parametrize("top", [1, 3.5, 900, 1 << 20, 33 * MIB, 200 * MIB, 5 << 30, 1 << 50])
def test_ticks_are_few_and_below_the_top(top: float) -> None:
    ticks = stack.memory_ticks(top)
    assert 2 <= len(ticks) <= 8
    assert ticks[0][0] == 0
    assert all(value <= top * 1.0001 for value, _ in ticks)
    ((_, zero), (value, _)) = stack.number_ticks(top)
    assert zero == "0"
    assert 0 < value <= top


TRACES = (
    pair.Trace(
        condition="1x",
        cause="oom_container",
        started_t_us=T0,
        duration_s=4.4,
        ceiling_bytes=32 * MIB,
        peak_bytes=32 * MIB,
        killed_t_us=KILL.t_us,
        victim="python3",
        slices=SLICES,
    ),
    pair.Trace(
        condition="uncapped",
        cause="none",
        started_t_us=T0 + 10**9,
        duration_s=6.8,
        ceiling_bytes=None,
        peak_bytes=70 * MIB,
        killed_t_us=None,
        victim=None,
        slices=[replace(one, t_us=one.t_us + 10**9, first_t_us=one.t_us + 10**9) for one in SLICES],
    ),
)


@pytest.mark.parametrize("mode", MODES)
def test_the_pair_begins_both_traces_at_their_beginnings(mode: Mode) -> None:
    look = THEMES[mode]
    chart = pair.figure(TRACES, look)
    chart.to_dict()
    spec = spec_of(chart, look.config())
    text = json.dumps(spec)
    assert "1x: python3 killed" in text
    assert "uncapped: passed after 6.8 s" in text
    assert '"x": 1000.' not in text, "the second trace is on its own clock"
    assert look.hues["pass"] in text
    assert look.hues["memory"] in text
    drawn(spec, "svg")


def test_a_pair_without_telemetry_is_drawn() -> None:
    bare = [replace(trace, slices=[], peak_bytes=None) for trace in TRACES]
    pair.figure(bare, THEMES["light"]).to_dict()
