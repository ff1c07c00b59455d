"""Taking the looks that the page Live shows: one a second, or one that is kept.

Every question goes through the app's memory, so ten viewers cost what one does. The
weather, which is many times as much to ask and to draw, is taken anew every few seconds only.
"""

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Final, cast

import streamlit as st

from barograph.clock import US_PER_S, SystemClock
from barograph.folder import DataFolder
from runner.ownership import owner_pid
from store.pages import live, weather
from store.pages.live import Wanted
from store.pages.weather import Asked, Weather
from ui.explorer.charts.base import Spec, spec_of
from ui.explorer.charts.weather import weather_chart
from ui.explorer.data import cached, data
from ui.explorer.moment import Moment, since_us
from ui.explorer.theme import Theme

MOST_KILLS: Final = 6
MOST_FROZEN: Final = 5000
"""Lanes of a frozen view; one with more says so."""
_WEATHER_S: Final = 5

_campaign = cached(live.campaign)
_span = cached(live.span)
_lanes = cached(live.lanes)
_progress = cached(live.progress)
_kills = cached(live.kills)
_hosts = cached(live.hosts)
_sweep_span = cached(weather.sweep_span)
_weather = cached(weather.weather)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A weather and for which window and until when it is good."""

    key: tuple[object, ...]
    weather: Weather


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A weather's specification."""

    weather: Weather
    mode: str
    spec: Spec


def look(sweep: str, wanted: Wanted) -> Moment | None:
    """The sweep as it is now; None: there is no such sweep."""
    now_us = SystemClock().wall_us()
    campaign = _campaign(sweep)
    if campaign is None:
        return None
    found = _span(sweep)
    # To the second, so that whoever looks within it shares the answer.
    second_us = now_us - now_us % US_PER_S
    lanes = tuple(_lanes(sweep, found, wanted))
    progress = _progress(sweep, since_us=since_us(second_us))
    kills = tuple(_kills(sweep, most=MOST_KILLS))
    hosts = tuple(_hosts(now_us=second_us))
    return Moment(
        # After the answers: nothing in them may seem to come from the future.
        now_us=SystemClock().wall_us(),
        campaign=campaign,
        alive=_alive(),
        span=found,
        lanes=lanes,
        progress=progress,
        kills=kills,
        hosts=hosts,
    )


def anything(sweep: str) -> bool:
    """Whether there are lanes to look at, or may be at any moment."""
    kept = _session().get("live-frozen")
    if isinstance(kept, Moment) and kept.campaign.sweep == sweep:
        return bool(kept.lanes)
    return _alive() or _span(sweep).begun > 0


def frozen(sweep: str) -> Moment | None:
    """The moment at which this viewer froze the view, with all its lanes."""
    kept = _session().get("live-frozen")
    if isinstance(kept, Moment) and kept.campaign.sweep == sweep:
        return kept
    taken = look(sweep, Wanted(most=MOST_FROZEN))
    _session()["live-frozen"] = taken
    return taken


def thaw() -> None:
    """Forget the frozen moment, so that the next time another is taken."""
    _session().pop("live-frozen", None)


def weather_of(
    moment: Moment, *, window: tuple[int, int] | None, last_s: int | None
) -> Weather | None:
    """The weather up to that moment; None: nothing has begun.

    Args:
        moment: what is shown beside it.
        window: from and to, of the address; wins over ``last_s``.
        last_s: only so many seconds before the end; None: the whole sweep.

    """
    sweep = moment.campaign.sweep
    # What has ended changes no more, but for verdicts that come later.
    running = moment.state == "running"
    grows = moment.now_us // (_WEATHER_S * US_PER_S) if running else moment.progress.judged
    key = (sweep, window, last_s, running, grows)
    kept = _session().get("live-weather")
    if isinstance(kept, _Kept) and kept.key == key:
        return kept.weather
    span = _sweep_span(sweep, now_us=moment.now_us)
    if span.first_t_us is None:
        return None
    last = span.last_t_us or span.first_t_us
    end = moment.now_us if moment.state == "running" else last
    start = span.first_t_us if last_s is None else max(span.first_t_us, end - last_s * US_PER_S)
    from_us, to_us = window or (start, max(end, start + US_PER_S))
    asked = Asked(sweep=sweep, from_us=from_us, to_us=to_us, now_us=min(moment.now_us, to_us))
    taken = _weather(asked)
    _session()["live-weather"] = _Kept(key, taken)
    return taken


def picture_of(taken: Weather, look: Theme, *, api_says: str) -> Spec:
    """The weather's specification, made once for each weather and theme."""
    kept = _session().get("live-picture")
    if isinstance(kept, _Drawn) and kept.weather is taken and kept.mode == look.mode:
        return kept.spec
    spec = spec_of(weather_chart(taken, look, api_says=api_says), look.config())
    _session()["live-picture"] = _Drawn(taken, look.mode, spec)
    return spec


def _alive() -> bool:
    return owner_pid(DataFolder.existing(data().options.folder)) is not None


def _session() -> MutableMapping[str, object]:
    return cast("MutableMapping[str, object]", st.session_state)
