"""What each page of the explorer asks, as the page asks it, with the time of every query.

A page is a function of the store's answers and of a *view*: which trial is open, where the
newest event is. ``Timed`` stands between them and notes each statement under its name in
``store/sql/queries``, so that a page that is slow names the query that made it so.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

from barograph.clock import US_PER_S
from bench.synthetic.plan import SWEEP
from store.answers import Answers, Table
from store.catalogue import catalogue
from store.pages import live, overview, pipeline, trial, trials, weather
from store.reader import Reader
from store.spans import sampled_span

_LANE_SLICES: Final = 1_200


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is looked at."""

    trial: str
    """One with a kill."""
    passed: str
    """The longest that passed."""
    newest_us: int
    """Time of the newest event: now, for a sweep that is over."""


class Timed:
    """Answers that note how long each named query took."""

    def __init__(self, answers: Answers) -> None:
        """Ask ``answers``."""
        self._answers = answers
        self.times_s: dict[str, list[float]] = {}

    def ask(self, sql: str) -> Table:
        """Ask, and note the time."""
        began = time.perf_counter()
        table = self._answers.ask(sql)
        self.times_s.setdefault(name_of(sql), []).append(time.perf_counter() - began)
        return table


Page = Callable[[Answers, View], object]


def view_of(answers: Answers) -> View:
    """Find something worth looking at in the store of the large sweep."""
    ((killed,),) = answers.ask(
        "SELECT min_by(trial, started_t_us) FROM judged_try WHERE outcome AND kills > 0 "
        "AND started_t_us > (SELECT median(started_t_us) FROM judged_try)"
    ).rows
    ((passed,),) = answers.ask(
        "SELECT max_by(trial, duration_s) FROM judged_try WHERE outcome AND passed"
    ).rows
    ((newest,),) = answers.ask("SELECT max(t_us) FROM host_sample").rows
    return View(trial=str(killed), passed=str(passed), newest_us=int(str(newest)))


def _overview(answers: Answers, _view: View) -> object:
    return (
        Reader(answers).sweeps(),
        overview.progress(answers, SWEEP),
        overview.cells(answers, SWEEP),
        overview.causes(answers, SWEEP),
        overview.ceilings(answers, SWEEP),
        overview.newest_kills(answers, SWEEP, 6),
    )


def _tasks(answers: Answers, _view: View) -> object:
    return Reader(answers).sweeps(), overview.cells(answers, SWEEP)


def _trials(answers: Answers, _view: View) -> object:
    wanted = trials.Wanted(sweep=SWEEP)
    rows = trials.page(answers, wanted)
    return (
        trials.causes(answers, wanted),
        trials.sparks(answers, rows),
        trials.kill_moments(answers, rows),
    )


def _trials_filtered(answers: Answers, _view: View) -> object:
    wanted = trials.Wanted(
        sweep=SWEEP, agents=(), conditions=("1x",), text="sort", sort="peak", most=50, skip=100
    )
    rows = trials.page(answers, wanted)
    return (
        trials.causes(answers, wanted),
        trials.sparks(answers, rows),
        trials.kill_moments(answers, rows),
    )


def _trial(answers: Answers, view: View) -> object:
    return _one_trial(answers, view.trial)


def _trial_long(answers: Answers, view: View) -> object:
    return _one_trial(answers, view.passed)


def _one_trial(answers: Answers, name: str) -> object:
    row = trial.head(answers, name)
    assert row is not None
    story = trial.story(answers, row)
    low_us, high_us = sampled_span(story.begun, story.ends)
    mine = story.begun[-1]
    return (
        trial.task_tries(answers, SWEEP, row.task),
        trial.lanes(
            answers, name, mine.try_no, low_us=low_us, high_us=high_us, slices=_LANE_SLICES
        ),
        trial.neighbours(answers, mine, name, low_us=low_us, high_us=high_us, slices=400),
        trial.neighbour_kills(answers, mine, name, low_us=low_us, high_us=high_us),
    )


def _live(answers: Answers, view: View) -> object:
    span = live.span(answers, SWEEP)
    return (
        live.campaign(answers, SWEEP),
        live.lanes(answers, SWEEP, span, live.Wanted()),
        live.progress(answers, SWEEP, since_us=view.newest_us - live.RATE_OVER_US),
        live.kills(answers, SWEEP, most=20),
        live.hosts(answers, now_us=view.newest_us),
    )


def _weather(answers: Answers, view: View) -> object:
    span = weather.sweep_span(answers, SWEEP, now_us=view.newest_us)
    asked = weather.Asked(
        sweep=SWEEP,
        from_us=span.first_t_us or 0,
        to_us=span.last_t_us or 0,
        now_us=view.newest_us,
    )
    return weather.weather(answers, asked)


def _weather_hour(answers: Answers, view: View) -> object:
    span = weather.sweep_span(answers, SWEEP, now_us=view.newest_us)
    middle = ((span.first_t_us or 0) + (span.last_t_us or 0)) // 2
    asked = weather.Asked(
        sweep=SWEEP, from_us=middle, to_us=middle + 900 * US_PER_S, now_us=view.newest_us
    )
    return weather.weather(answers, asked)


def _pipeline(answers: Answers, _view: View) -> object:
    return pipeline.pipeline(answers)


PAGES: Final[dict[str, Page]] = {
    "Overview": _overview,
    "Tasks": _tasks,
    "Trials": _trials,
    "Trials, filtered, page 3": _trials_filtered,
    "Trial, killed": _trial,
    "Trial, the longest": _trial_long,
    "Live": _live,
    "Live, weather of the sweep": _weather,
    "Live, weather of 15 minutes": _weather_hour,
    "Pipeline": _pipeline,
}


def name_of(sql: str) -> str:
    """Name of the query that was filled to this text; the text's beginning for others."""
    found = [
        (len(prefix), name) for prefix, name in _prefixes() if prefix and sql.startswith(prefix)
    ]
    return max(found)[1] if found else sql[:40]


@cache
def _prefixes() -> list[tuple[str, str]]:
    return [(one.sql.split("$", 1)[0], name) for name, one in catalogue("queries").items()]
