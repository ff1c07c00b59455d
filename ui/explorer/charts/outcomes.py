"""What became of the trials: causes stacked for each configuration, a panel an agent.

Passes begin at the left edge and kills by memory end at the right one, so that the two that
a ceiling moves have a straight edge each to be compared along. Every part says its kind's
mark and its number as far as there is room, so the stack reads in grey.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from ui.explorer.charts.base import inline, layered, named
from ui.explorer.charts.words import name
from ui.explorer.theme import Theme, hue_named
from ui.palette import LOOKS, Hue

ORDER: Final[tuple[Hue, ...]] = (
    "pass",
    "model",
    "timeout",
    "unknown",
    "harness",
    "cluster",
    "api",
    "memory",
)
_ROW_PX: Final = 30
_LEAST_SHARE: Final = 7.0
"""Percent of a row below which a part has no room for its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomePart:
    """Trials of one agent at one ceiling whose cause is of one kind."""

    agent: str
    condition: str
    hue: str
    kind: str
    """Mark and words."""
    causes: str
    """Which causes, with their numbers."""
    trials: int
    n: int
    """Of the whole row."""
    start: float
    """From and to, percent of the row."""
    end: float


def stacked(
    agent: str,
    condition_counts: Mapping[str, Mapping[Hue, Mapping[str, int]]],
) -> list[OutcomePart]:
    """Lay the parts of each row out side by side.

    Args:
        agent: whose rows.
        condition_counts: condition -> kind -> cause -> trials.

    """
    parts: list[OutcomePart] = []
    for condition, kinds in condition_counts.items():
        n, done = sum(sum(causes.values()) for causes in kinds.values()), 0
        for hue in ORDER:
            causes = kinds.get(hue, {})
            trials = sum(causes.values())
            if not trials:
                continue
            parts.append(
                OutcomePart(
                    agent=agent,
                    condition=condition,
                    hue=hue,
                    kind=f"{LOOKS[hue].mark} {LOOKS[hue].words}",
                    causes=", ".join(f"{name} {number}" for name, number in causes.items()),
                    trials=trials,
                    n=n,
                    start=100 * done / n,
                    end=100 * (done + trials) / n,
                )
            )
            done += trials
    return parts


def outcomes(
    agent: str, parts: Sequence[OutcomePart], conditions: Sequence[str], look: Theme
) -> alt.LayerChart:
    """Draw one agent's rows, the tightest ceiling on top."""
    there: set[Hue] = {hue_named(part.hue) for part in parts}
    used: list[Hue] = [hue for hue in ORDER if hue in there]
    kinds = {f"{LOOKS[hue].mark} {LOOKS[hue].words}": look.hues[hue] for hue in used}
    rows = _rows(agent, parts, conditions, look)
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y(
            "at:O",
            scale=alt.Scale(domain=list(range(len(conditions)))),
            axis=named(conditions, orient="left", most=16),
        ),
        tooltip=[
            alt.Tooltip("condition:N", title="ceiling"),
            alt.Tooltip("kind:N", title="what became of them"),
            alt.Tooltip("causes:N", title="causes"),
            alt.Tooltip("trials:Q", title="trials"),
            alt.Tooltip("n:Q", title="of"),
        ],
    )
    bars = base.mark_bar(height=_ROW_PX - 8, stroke=look.paper, strokeWidth=1).encode(
        x=alt.X(
            "start:Q",
            scale=alt.Scale(domain=[0, 100], nice=False),
            axis=alt.Axis(title="% of trials", tickCount=5, grid=False),
        ),
        x2=alt.X2("end:Q"),
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(domain=list(kinds), range=list(kinds.values())),
            legend=alt.Legend(title=None, orient="bottom", direction="horizontal", columns=4),
        ),
    )
    words = base.mark_text(fontSize=12, fontWeight="bold").encode(
        x=alt.X("middle:Q"),
        text=alt.Text("label:N"),
        color=alt.condition("datum.dark_words", alt.value(look.ink), alt.value("#ffffff")),
    )
    return layered(bars, words).properties(
        height=_ROW_PX * max(1, len(conditions)),
        title=alt.TitleParams(text=name(agent), color=look.ink),
    )


def _rows(
    agent: str, parts: Sequence[OutcomePart], conditions: Sequence[str], look: Theme
) -> list[dict[str, object]]:
    """One agent's parts with their places and their words."""
    places = {condition: place for place, condition in enumerate(conditions)}
    return [
        {
            "agent": part.agent,
            "condition": name(part.condition, 40),
            "at": places[part.condition],
            "kind": part.kind,
            "causes": part.causes,
            "trials": part.trials,
            "n": part.n,
            "start": part.start,
            "end": part.end,
            "middle": (part.start + part.end) / 2,
            "label": f"{LOOKS[hue_named(part.hue)].mark} {part.trials}"
            if part.end - part.start >= _LEAST_SHARE
            else "",
            "dark_words": part.hue in {"unknown", "excluded"} and look.mode == "light",
        }
        for part in parts
        if part.agent == agent and part.condition in places
    ]
