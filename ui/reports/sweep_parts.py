"""The parts of a sweep's report below the main table; each may have nothing to say."""

from typing import Final

from rich.console import RenderableType
from rich.text import Text

from analysis.flips import Flips
from analysis.result import Frame, Result
from analysis.sweep_report import SweepAnalysis
from analysis.sweep_tables import AgentRow, Ranking
from analysis.wording import count, listing
from ui import tables
from ui.palette import DIM
from ui.reports.numbers import (
    change_cells,
    holm_of,
    p_cell,
    per_cent_cell,
    per_cent_interval,
    points_cell,
    points_interval,
    rate_of,
)
from ui.text import UNKNOWN, signed

_MOST_FLIPS: Final = 12
_MOST_DOUBTS: Final = 8
_MOST_NAMED: Final = 3


def agents(found: SweepAnalysis, frame: Frame) -> list[RenderableType]:
    """Each agent beside the other, and who leads; with many agents one below the other."""
    if len(found.agents) == 2:  # noqa: PLR2004 - side by side is for two
        return [tables.section("Each agent, and who leads, %", _side_by_side(found, frame))]
    made = [
        tables.section(f"Agent {agent}", _one_agent(found, place, frame))
        for place, agent in enumerate(found.agents)
    ]
    return [*made, tables.section("Ranking", _rankings(found, frame))] if len(made) > 1 else []


def _side_by_side(found: SweepAnalysis, frame: Frame) -> RenderableType:
    columns = [tables.text("\nceiling")]
    for agent in found.agents:
        columns += [
            tables.number(f"{agent}\ninfra"),
            tables.number("\nscore"),
            tables.number("\n95% CI", dim=True),
        ]
    columns += [tables.text("\nleads"), tables.number("by\npoints"), tables.number("\np")]
    rankings = {ranking.condition: ranking for ranking in found.ranking}
    rows: list[list[str]] = []
    for row in found.table:
        cells = [row.condition]
        for one in row.agents:
            cells += _agent_cells(one, frame)
        rows.append([*cells, *_leader(rankings[row.condition], frame)])
    return tables.table(columns, rows)


def _agent_cells(one: AgentRow, frame: Frame) -> list[str]:
    infra, score = (rate_of(one.rates, which, frame) for which in ("infra", "score"))
    return [per_cent_cell(infra), per_cent_cell(score), per_cent_interval(score)]


def _leader(ranking: Ranking, frame: Frame) -> list[str]:
    if not ranking.gaps:
        return [UNKNOWN, UNKNOWN, UNKNOWN]
    gap = ranking.gaps[0].these if frame == "these_tasks" else ranking.gaps[0].like
    leads = "level" if not gap.estimate else ranking.order[0]
    return [leads, points_cell(gap), p_cell(gap.p_value)]


def _one_agent(found: SweepAnalysis, place: int, frame: Frame) -> RenderableType:
    columns = [
        tables.text("\nceiling"),
        tables.number("infra\nerrors %"),
        tables.number("p\nHolm"),
        tables.number("\nscore %"),
        tables.number("\n95% CI", dim=True),
        tables.number(f"vs {found.reference}\npoints"),
        tables.number("\n95% CI", dim=True),
        tables.number("p\nHolm"),
    ]
    rows: list[list[str]] = []
    for row in found.table:
        one = row.agents[place]
        infra, score, interval = _agent_cells(one, frame)
        change = change_cells(one.score_change, frame)
        wild, moved = (holm_of(one, frame) for one in (one.infra_change, one.score_change))
        rows.append([row.condition, infra, p_cell(wild), score, interval, *change, p_cell(moved)])
    return tables.table(columns, rows)


def _rankings(found: SweepAnalysis, frame: Frame) -> RenderableType:
    columns = [tables.text("ceiling"), tables.text("best first; p of each step", fold=True)]
    rows: list[list[str]] = []
    for ranking in found.ranking:
        shown = ""
        for place, (agent, score) in enumerate(zip(ranking.order, ranking.scores, strict=True)):
            shown += f"{agent} {100 * score:.1f}"
            if place < len(ranking.gaps):
                gap = ranking.gaps[place]
                p = gap.these.p_value if frame == "these_tasks" else gap.like.p_value
                shown += f" >({p_cell(p)}) "
        rows.append([ranking.condition, shown])
    return tables.table(columns, rows)


def flips(found: SweepAnalysis) -> list[RenderableType]:
    """Tasks that changed between the reference and the ceiling with the most room."""
    last = next((one for one in found.flips if one.b == found.conditions[-1]), None)
    if last is None:
        return []
    columns = [
        tables.text("task", shrink=True),
        tables.number(f"passed at {last.a}"),
        tables.number(f"at {last.b}"),
        tables.number("points"),
        tables.number("p", dim=True),
        tables.number("q", dim=True),
    ]
    rows = [
        [
            flip.task,
            f"{flip.passed_a}/{flip.attempts_a}",
            f"{flip.passed_b}/{flip.attempts_b}",
            signed(flip.change_points, 0),
            p_cell(flip.p_value),
            p_cell(flip.q_value),
        ]
        for flip in last.changed[:_MOST_FLIPS]
    ]
    shown = [tables.table(columns, rows)] if rows else []
    said = f"{last.gained} gained, {last.lost} lost, {last.unchanged} did not change"
    title = f"Tasks that changed from {last.a} to {last.b}: {said}"
    return [tables.section(title, *shown, *_flip_note(last))]


def _flip_note(last: Flips) -> list[Text]:
    least = min((flip.min_attainable_p for flip in last.changed), default=0.0)
    hidden = len(last.changed) - _MOST_FLIPS
    notes = [f"{count(hidden, 'more task')} in --json"] if hidden > 0 else []
    if least > 0.05:  # noqa: PLR2004 - the usual level
        notes.append(f"with so few attempts no single task could have p below {p_cell(least)}")
    return [Text("; ".join(notes), style=DIM)] if notes else []


def failed_anyway(found: SweepAnalysis, frame: Frame) -> list[RenderableType]:
    """Which share of the killed trials would have failed with the most room too."""
    together = [one for one in found.failed_anyway if len(one.agents) == len(found.agents)]
    if not together:
        return []
    columns = [
        tables.text("ceiling"),
        tables.number("killed trials"),
        tables.number("failed anyway %"),
        tables.number("95% CI", dim=True),
    ]
    rows: list[list[str]] = []
    for one in together:
        result = one.these if frame == "these_tasks" else one.like
        cells = [per_cent_cell(result), per_cent_interval(result)]
        rows.append([one.a, f"{one.kills:,}", *cells])
    title = f"Of the trials that a ceiling killed, would have failed at {found.conditions[-1]} too"
    return [tables.section(title, tables.table(columns, rows))]


def steps(found: SweepAnalysis) -> list[RenderableType]:
    """Where the score's change comes from, step by step."""
    if not found.steps:
        return []
    columns = [
        tables.text("\nfrom"),
        tables.text("\nto"),
        tables.number("infra errors\nremoved"),
        tables.number("\n95% CI", dim=True),
        tables.number("new\nsolves"),
        tables.number("\n95% CI", dim=True),
    ]
    rows = [
        [one.a, one.b, *_part(one.infra_removed), *_part(one.new_solves)] for one in found.steps
    ]
    title = "Where the change of the score comes from, points (tasks like these)"
    return [tables.section(title, tables.table(columns, rows))]


def _part(result: Result) -> tuple[str, str]:
    return points_cell(result), points_interval(result)


def treatments(found: SweepAnalysis) -> RenderableType:
    """Four ways to treat infra errors in the score, beside each other."""
    columns = [
        tables.text("\nceiling"),
        tables.number("as\nrun"),
        tables.number("left out\nby task"),
        tables.number("left out\npooled*", dim=True),
        tables.number("if all had\nfailed–passed"),
    ]
    rows: list[list[str]] = []
    for row in found.table:
        rates = row.rates
        pooled = rates.score_excl_pooled
        bounds = (rates.score_if_infra_failed, rates.score_if_infra_solved)
        rows.append(
            [
                row.condition,
                per_cent_cell(rates.score),
                per_cent_cell(rates.score_excl_task_std),
                UNKNOWN if pooled is None else f"{100 * pooled:.1f}",
                f"{100 * bounds[0]:.1f}–{100 * bounds[1]:.1f}",
            ]
        )
    note = Text("* biased, because infra errors hit particular tasks; for comparison", style=DIM)
    title = "The score with its infra errors treated in four ways, %"
    return tables.section(title, tables.table(columns, rows), note)


def sensitivity(found: SweepAnalysis) -> list[RenderableType]:
    """Infra errors with suspects counted as such; nothing without a suspect."""
    if not found.sensitivity:
        return []
    columns = [
        tables.text("ceiling"),
        tables.number("suspects"),
        tables.number("infra errors %"),
        tables.number("95% CI", dim=True),
        tables.number("p Holm"),
    ]
    rows = [
        [
            row.condition,
            f"{row.suspects:,}",
            per_cent_cell(row.infra),
            per_cent_interval(row.infra),
            p_cell(holm_of(row.infra_change, "these_tasks")),
        ]
        for row in found.sensitivity
    ]
    return [tables.section("With suspects counted as infra errors", tables.table(columns, rows))]


def doubts(found: SweepAnalysis) -> list[RenderableType]:
    """What guards withheld and what must be doubted."""
    grouped: dict[str, list[str]] = {}
    for guard in found.guards:
        about, _, text = guard.partition(": ")
        grouped.setdefault(text or about, []).append(about if text else "")
    said = [
        f"{text} ({listing(about, most=_MOST_NAMED)})" if all(about) else text
        for text, about in list(grouped.items())[:_MOST_DOUBTS]
    ]
    hidden = len(grouped) - len(said)
    if hidden > 0:
        said.append(f"{count(hidden, 'more remark')} in --json")
    if found.excluded:
        said.append(f"{count(found.excluded, 'trial')} cancelled by an operator: in no rate")
    if found.retries:
        tries = count(found.retries, "further try", "further tries")
        said.append(f"{tries} of trials that were run again: in no rate")
    return (
        [tables.section("To be held against these numbers", tables.bullets(said))] if said else []
    )


def method() -> RenderableType:
    """How it was computed, in two lines."""
    lines = (
        "p: exact stratified test by task and agent (these tasks) or sign-flip by task (tasks "
        "like these); Holm over the ceilings, separately for score and infra errors; q: "
        "Benjamini–Hochberg over tasks. "
        "Every record, in both frames: --json. How to read it: docs/statistics.md."
    )
    return tables.section("How this was computed", Text(lines, style=DIM))
