"""The analysis of a sweep as rows of the Overview's figures and table; pure functions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from analysis.result import FRAME_WORDS, Frame, Result
from analysis.sweep_report import SweepAnalysis
from analysis.sweep_tables import CeilingRow
from analysis.wording import count
from store.pages.overview import CauseCount, SweepProgress
from store.rows import SweepRow
from ui.explorer.charts.budget import GainPart, NoisePart
from ui.explorer.charts.curve import CurvePoint, Endpoint, InfraPart
from ui.explorer.charts.outcomes import ORDER, OutcomePart, stacked
from ui.explorer.charts.words import name as short
from ui.palette import LOOKS, Hue, hue_of
from ui.reports.numbers import holm_of, rate_of

_ENDPOINTS: tuple[Endpoint, Endpoint] = ("score", "infra")
_Z: float = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class CeilingNumbers:
    """One ceiling, all agents together, as the table shows it."""

    ceiling: str
    trials: int
    infra: float | None
    infra_ci: str
    infra_p: float | None
    score: float | None
    score_ci: str
    change: float | None
    change_ci: str
    change_p: float | None
    interval: str
    """How the score's interval was made."""
    frame: str


def contestant(row: CauseCount) -> str:
    """Who is compared: the agent, with its model where there is one."""
    return row.agent if row.model is None else f"{row.agent} ({row.model})"


def in_order(causes: Sequence[CauseCount], planned: Sequence[str]) -> list[str]:
    """All contestants: the sweep's own order first, others by name."""
    names = sorted({contestant(row) for row in causes})
    return [*(name for name in planned if name in names), *(n for n in names if n not in planned)]


def curve_points(found: SweepAnalysis, frame: Frame) -> list[CurvePoint]:
    """Both rates of each agent at each ceiling that has trials."""
    return [
        _point(agent.agent, row.condition, endpoint, rate_of(agent.rates, endpoint, frame))
        for row in found.table
        for agent in row.agents
        for endpoint in _ENDPOINTS
        if rate_of(agent.rates, endpoint, frame).estimate is not None
    ]


def _point(agent: str, condition: str, endpoint: Endpoint, result: Result) -> CurvePoint:
    return CurvePoint(
        agent=agent,
        condition=condition,
        endpoint=endpoint,
        n=result.n_trials,
        percent=100 * (result.estimate or 0.0),
        low=None if result.ci_low is None else 100 * result.ci_low,
        high=None if result.ci_high is None else 100 * result.ci_high,
        method=result.ci_method,
        frame=FRAME_WORDS[result.frame],
    )


def infra_parts(points: Sequence[CurvePoint], causes: Sequence[CauseCount]) -> list[InfraPart]:
    """Each infra-error rate cut up by the kind of its causes, in proportion to their trials."""
    found: defaultdict[tuple[str, str], defaultdict[Hue, int]] = defaultdict(
        lambda: defaultdict(int)
    )
    for row in causes:
        if row.counts_as == "infra_error":
            found[contestant(row), row.condition][hue_of(row.cause)] += row.trials
    rates = {
        (point.agent, point.condition): point.percent
        for point in points
        if point.endpoint == "infra"
    }
    parts: list[InfraPart] = []
    for (agent, condition), hues in found.items():
        total, done = sum(hues.values()), 0
        rate = rates.get((agent, condition), 0.0)
        for hue in reversed(ORDER):
            if hues.get(hue, 0):
                start, done = done, done + hues[hue]
                parts.append(
                    InfraPart(
                        agent=agent,
                        condition=condition,
                        hue=hue,
                        words=f"{LOOKS[hue].mark} {LOOKS[hue].words}",
                        trials=hues[hue],
                        start=rate * start / total,
                        end=rate * done / total,
                    )
                )
    return parts


def outcome_parts(
    causes: Sequence[CauseCount], agents: Sequence[str], conditions: Sequence[str]
) -> list[OutcomePart]:
    """What became of the trials that count, laid out for each agent and ceiling."""
    counts: dict[str, dict[str, defaultdict[Hue, dict[str, int]]]] = {
        agent: {condition: defaultdict(dict) for condition in conditions} for agent in agents
    }
    for row in causes:
        rows = counts.get(contestant(row), {})
        if row.counts_as != "excluded" and row.condition in rows:
            hue: Hue = "pass" if row.counts_as == "pass" else hue_of(row.cause)
            kinds = rows[row.condition][hue]
            kinds[row.cause] = kinds.get(row.cause, 0) + row.trials
    return list(chain.from_iterable(stacked(agent, counts[agent]) for agent in agents))


def gain_parts(found: SweepAnalysis) -> list[GainPart]:
    """The change of the score by each step, and from the reference to the last, in parts."""
    parts: list[GainPart] = []
    for step in found.steps:
        for name, result in (
            ("infra errors removed", step.infra_removed),
            ("new solves", step.new_solves),
        ):
            if result.estimate is not None:
                parts.append(
                    GainPart(
                        step=f"{short(step.a, 12)} → {short(step.b, 12)}",
                        part=name,
                        points=result.estimate,
                        low=result.ci_low,
                        high=result.ci_high,
                        p_value=result.p_value,
                    )
                )
    return parts


def noise_parts(found: SweepAnalysis) -> list[NoisePart]:
    """How far the score of the last ceiling moves by itself, against what the ceilings do."""
    rates = found.table[-1].rates
    parts: list[NoisePart] = []
    for source, result in (
        ("other attempts at these tasks, ±", rates.score),
        ("other tasks like these, ±", rates.score_like),
    ):
        if result.ci_low is not None and result.ci_high is not None:
            half = 100 * (result.ci_high - result.ci_low) / 2
            says = f"half of the 95% interval at {rates.condition} ({result.ci_method})"
            parts.append(NoisePart(source=source, points=half, says=says))
    scores = [row.rates.score.estimate for row in found.table]
    known = [100 * score for score in scores if score is not None]
    if len(known) > 1:
        says = "from the ceiling with the lowest score to that with the highest"
        parts.append(
            NoisePart(
                source="the ceilings, lowest to highest", points=max(known) - min(known), says=says
            )
        )
    return parts


def numbers(found: SweepAnalysis, frame: Frame) -> list[CeilingNumbers]:
    """The table of ceilings."""
    return [_numbers(row, frame) for row in found.table]


def methods(rows: Sequence[CeilingNumbers]) -> str:
    """How the scores' intervals were made; which ceilings by which, where they differ."""
    by_method: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.interval:
            by_method[row.interval].append(short(row.ceiling, 12))
    if not by_method:
        return ""
    parts = [
        method if len(by_method) == 1 else f"{method} ({', '.join(ceilings)})"
        for method, ceilings in by_method.items()
    ]
    return f"Intervals of the score: {'; '.join(parts)}."


def _numbers(row: CeilingRow, frame: Frame) -> CeilingNumbers:
    infra, score = (rate_of(row.rates, which, frame) for which in ("infra", "score"))
    change = row.score_change
    moved = None if change is None else change.these if frame == "these_tasks" else change.like
    return CeilingNumbers(
        ceiling=row.condition,
        trials=row.n,
        infra=_percent(infra),
        infra_ci=_interval(infra, 100),
        infra_p=holm_of(row.infra_change, frame),
        score=_percent(score),
        score_ci=_interval(score, 100),
        change=None if moved is None else moved.estimate,
        change_ci="" if moved is None else _interval(moved, 1),
        change_p=holm_of(change, frame),
        interval=score.ci_method or "",
        frame=FRAME_WORDS[frame],
    )


def notes(row: SweepRow, progress: SweepProgress, found: SweepAnalysis | None) -> list[str]:
    """What must be said beside the sentence: how far, how complete, by which policy."""
    said: list[str] = []
    if progress.outcomes < row.trials:
        rest = (
            f", {count(progress.tries_open, 'try runs', 'tries run')}"
            if progress.tries_open
            else ""
        )
        said.append(f"{progress.outcomes:,} of {row.trials:,} planned trials have an outcome{rest}")
    else:
        said.append(count(progress.outcomes, "trial"))
    if progress.tries_unjudged:
        said.append(
            f"{count(progress.tries_unjudged, 'ended try is', 'ended tries are')} not judged yet"
        )
    if progress.outcomes and not progress.killed:
        said.append("no trial was ended by its ceiling")
    if progress.unmeasured:
        said.append(
            f"{progress.unmeasured:,} of {count(progress.outcomes, 'trial')} have no telemetry"
        )
    if found is not None:
        said += _data_notes(found)
    for name, version in zip(progress.policies or (), progress.policy_versions or (), strict=False):
        said.append(f"computed under policy {name} {version}")
    return said


def _data_notes(found: SweepAnalysis) -> list[str]:
    said: list[str] = []
    score = found.table[0].rates.score
    if score.status == "descriptive_only":
        said.append(f"descriptive only: {'; '.join(score.reasons)}")
    said.append(f"{count(len(found.tasks), 'task')}, {count(len(found.agents), 'agent')}")
    if found.excluded:
        said.append(f"{count(found.excluded, 'trial')} cancelled by an operator, in no rate")
    if found.retries:
        said.append(f"{count(found.retries, 'further try', 'further tries')} in no rate")
    return said


def clauses(found: SweepAnalysis) -> tuple[str, list[str], list[str]]:
    """The verdict's first clause, its other clauses, and what is said beside it."""
    verdict = [said for said in found.statements if said[1:-1] in found.verdict]
    beside = [said for said in found.statements if said not in verdict]
    return (verdict[0] if verdict else found.verdict), verdict[1:], beside


def multiples(
    rows: Mapping[str, float | None], conditions: Sequence[str]
) -> list[tuple[str, float | None]]:
    """Each condition with its ceiling, in the sweep's order."""
    return [(condition, rows.get(condition)) for condition in conditions]


def _percent(result: Result) -> float | None:
    return None if result.estimate is None else 100 * result.estimate


def _interval(result: Result, factor: float) -> str:
    if result.ci_low is None or result.ci_high is None:
        return ""
    low, high = (
        f"{factor * value:.0f}".replace("-", "−") for value in (result.ci_low, result.ci_high)
    )
    return f"{low} to {high}"
