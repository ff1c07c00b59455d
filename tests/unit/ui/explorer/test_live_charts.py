"""The pictures of Live and Pipeline: valid, steady while rows change, and honest about counts."""

import json
from dataclasses import replace

import pytest
import vl_convert

from store.pages.live import LaneRow
from store.pages.pipeline import CollectorBin, KillBin, LossBin, NowRow, Pipeline
from store.pages.weather import Asked, BarRow, BinRow, HostBin, KillMark, SweepSpan, Weather
from ui.explorer.charts.base import Chart, Spec, spec_of
from ui.explorer.charts.lanes import lane_chart, lane_spec, lanes
from ui.explorer.charts.pipeline import pipeline_chart, staircase
from ui.explorer.charts.weather import (
    RUNNING,
    UNJUDGED,
    bars_of,
    slices_of,
    weather_chart,
    what_became,
)
from ui.explorer.charts.words import name
from ui.explorer.steady import steadied
from ui.explorer.theme import THEMES, Mode

MIB = 1 << 20
S = 1_000_000
T0 = 1_795_000_000 * S
MODES: tuple[Mode, ...] = ("light", "dark")

LANE = LaneRow(
    trial="aaaaaaaaaaaa",
    try_no=1,
    task="sort",
    agent="brute",
    condition="1x",
    attempt=1,
    host="h1",
    source="r1",
    started_t_us=T0,
    phase="agent",
    phase_started_t_us=T0,
    usage_bytes=32 * MIB,
    peak_bytes=48 * MIB,
    ceiling_bytes=64 * MIB,
    parent_cap_bytes=8192 * MIB,
    sampled_t_us=T0,
    kills=0,
    last_kind="command",
    last_what="make",
    last_how="ok",
    last_t_us=T0 + 2 * S,
    matching=1,
)
UNCAPPED = replace(LANE, ceiling_bytes=None, trial="bbbbbbbbbbbb")
SILENT = replace(LANE, usage_bytes=None, peak_bytes=None, sampled_t_us=None, phase=None)


def bar(number: int, *, cause: str | None = "none", ended: bool = True) -> BarRow:
    start = T0 + number * S
    return BarRow(
        trial=f"t{number}",
        try_no=1,
        task="sort",
        agent="brute",
        condition="1x",
        started_t_us=start,
        finished_t_us=start + 10 * S if ended else None,
        cause=cause,
        says=None,
    )


def weather(*, binned: bool = False, kills: int = 1, of: int | None = None) -> Weather:
    bars = [bar(0), bar(1, cause="oom_container"), bar(2, cause=None), bar(3, ended=False)]
    bins = [
        BinRow(slice=0, cause="none", tries=400),
        BinRow(slice=0, cause="oom_container", tries=20),
        BinRow(slice=0, cause="verifier_oom", tries=5),
        BinRow(slice=2, cause=None, tries=300),
    ]
    mark = KillMark(
        trial="t1",
        try_no=1,
        at_us=T0 + 9 * S,
        victim="<b>x</b>",
        limit_bytes=64 * MIB,
        kills=of or kills,
    )
    band = HostBin(
        host="h1",
        slice=0,
        cores=2,
        samples=5,
        load_mean=1.0,
        load_highest=3.0,
        psi_memory_mean=0.1,
        psi_memory_highest=0.4,
        memory_mean=0.5,
        memory_highest=0.6,
    )
    return Weather(
        asked=Asked(sweep="s", from_us=T0, to_us=T0 + 20 * S, now_us=T0 + 20 * S),
        span=SweepSpan(
            first_t_us=T0, last_t_us=T0 + 20 * S, tries=725, open=1, inside=725 if binned else 4
        ),
        bars=[] if binned else bars,
        bins=bins if binned else [],
        kills=[mark] * kills,
        hosts=[band],
    )


def pipeline(*, losses: bool = True) -> Pipeline:
    fields = dict.fromkeys(NowRow.__dataclass_fields__, 0)
    now = NowRow(**{**fields, "sources": 1, "collectors": 1})
    cost = CollectorBin(
        slice=0,
        cpu_mean=0.01,
        cpu_highest=0.02,
        rss_bytes=MIB,
        lateness_us=100,
        events_per_s=20.0,
        targets=3,
    )
    return Pipeline(
        now=now,
        from_us=T0,
        to_us=T0 + 100 * S,
        bin_us=S,
        collector=[cost, replace(cost, slice=10)],
        losses=[LossBin(kind="missed ticks", slice=4, amount=7)] if losses else [],
        kills=[
            KillBin(kind="counted", slice=3, kills=2),
            KillBin(kind="counted", slice=8, kills=1),
            KillBin(kind="told", slice=3, kills=2),
        ],
        hosts=[],
        gaps=[],
        probes=[],
        letters=[],
        shippers=[],
    )


def specs(mode: Mode) -> dict[str, Spec]:
    look = THEMES[mode]
    charts: dict[str, Chart] = {
        "lanes": lane_chart(lanes([LANE, UNCAPPED, SILENT], T0 + 5 * S), look),
        "bars": weather_chart(weather(), look, api_says="none"),
        "slices": weather_chart(weather(binned=True), look, api_says="none"),
        "no weather": weather_chart(
            replace(weather(), bars=[], kills=[], hosts=[]), look, api_says="none"
        ),
        "pipeline": pipeline_chart(pipeline(), look),
        "no losses": pipeline_chart(pipeline(losses=False), look),
    }
    for chart in charts.values():
        chart.to_dict(validate=True)
    return {each: spec_of(chart, look.config()) for each, chart in charts.items()}


@pytest.mark.parametrize("mode", MODES)
def test_every_picture_is_valid_and_compiles(mode: Mode) -> None:
    for spec in specs(mode).values():
        assert vl_convert.vegalite_to_vega(spec)["marks"]


def test_a_lane_says_what_where_and_how_much() -> None:
    capped, uncapped, silent = lanes([LANE, UNCAPPED, SILENT], T0 + 5 * S)
    assert (capped.share, capped.peak, capped.capped) == (0.5, 0.75, True)
    assert capped.holds == "32 of 64 MiB"
    assert capped.doing == "agent, 5.0 s in · 3.0 s ago: make ended (ok)"
    assert (uncapped.peak, uncapped.capped, uncapped.holds) == (None, False, "32 MiB, no ceiling")
    assert (silent.share, silent.peak, silent.holds) == (0.0, None, "no sample yet")


def test_a_killed_lane_has_the_mark_of_memory() -> None:
    (lane,) = lanes([replace(LANE, kills=2, last_kind="kill", last_what="cc1")], T0 + 5 * S)
    assert lane.killed == "M2"
    assert "3.0 s ago: killed cc1" in lane.doing


def test_places_go_on_from_page_to_page() -> None:
    assert [lane.place for lane in lanes([LANE, UNCAPPED], T0, skip=60)] == [60, 61]


def _steady(chart_of_now: Spec, chart_of_then: Spec) -> bool:
    now, then = steadied(chart_of_now), steadied(chart_of_then)
    assert len(str(now.pop("datasets", ""))) > 0
    assert len(str(then.pop("datasets", ""))) > 0
    return json.dumps(now) == json.dumps(then)


def test_lanes_and_weather_stay_the_same_picture_while_their_rows_change() -> None:
    look = THEMES["light"]
    one = spec_of(lane_chart(lanes([LANE], T0), look), look.config())
    two = spec_of(lane_chart(lanes([UNCAPPED, LANE], T0 + S), look), look.config())
    assert _steady(one, two)
    assert _steady(one, lane_spec(lanes([SILENT], T0), look))
    later = replace(
        weather(kills=3), asked=Asked(sweep="s", from_us=T0, to_us=T0 + 25 * S, now_us=T0 + 25 * S)
    )
    pictures = [
        spec_of(weather_chart(each, look, api_says="none"), look.config())
        for each in (weather(), later)
    ]
    assert _steady(*pictures)


def test_bars_are_packed_and_cut_to_the_window() -> None:
    bars = bars_of(weather())
    assert [one.lane for one in bars] == [0, 1, 2, 3]
    assert max(one.end for one in bars) <= (T0 + 20 * S) / 1000
    assert [one.what for one in bars] == ["✓ pass", "M memory", UNJUDGED, RUNNING]


def test_what_runs_has_no_cause_even_if_it_will_have_one() -> None:
    assert what_became(bar(0, cause="oom_container", ended=False)) == RUNNING


def test_slices_add_up_and_share_the_colour_of_their_kind() -> None:
    rows = slices_of(weather(binned=True))
    assert sum(row.tries for row in rows) == 725
    first = {row.what: row.tries for row in rows if row.start == T0 / 1000}
    assert first == {"✓ pass": 400, "M memory": 25}


def test_kills_that_are_not_shown_are_counted() -> None:
    look = THEMES["light"]
    text = json.dumps(spec_of(weather_chart(weather(kills=2, of=9), look, api_says=""), {}))
    assert "Kills by the kernel: 9, the newest 2 of them shown" in text


def test_both_staircases_begin_at_nothing_and_end_at_all() -> None:
    steps = staircase(pipeline())
    counted = [row.kills for row in steps if row.kind == "counted"]
    told = [row.kills for row in steps if row.kind == "told"]
    assert (counted, told) == ([0, 2, 3, 3], [0, 2, 2])


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\nb\tc", "a b c"), ("x\u202ey", "xy"), ("ש", "\u2068ש\u2069"), ("a" * 99, "a" * 39 + "…")],
)
def test_a_name_is_one_line_and_turns_nothing(text: str, shown: str) -> None:
    assert name(text).strip("\u2068\u2069") == shown.strip("\u2068\u2069")
