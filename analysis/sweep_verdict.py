"""What a sweep's numbers allow to be said, in words that do not say more.

Three rules of wording. A difference without a small p-value is "not distinguishable",
which is no proof that there is none, and the sentence says that too. A change is said to
happen only where its test says so. And how sure a reversal of the ranking is, is said as
how often data this clear would come about without one.
"""

from collections.abc import Sequence

from analysis.comparison import Comparison
from analysis.counterfactual import FailedAnyway
from analysis.guards import ALPHA
from analysis.interaction import Interaction
from analysis.result import Result
from analysis.sweep_tables import CeilingRow, SensitivityRow
from analysis.trend import Trend
from analysis.wording import chance, count, listing, per_cent, points, probability, span

NO_PROOF = "which is no proof that nothing changes"


def infra_statement(rows: Sequence[CeilingRow], trend: Trend | None) -> str:
    """Say how infra errors move along the ceilings."""
    shown = [row for row in rows if row.rates.infra.estimate is not None]
    if not shown:
        return "no trial has ended, so nothing is known about infra errors"
    first, last = shown[0], shown[-1]
    rates = [row.rates.infra.estimate or 0.0 for row in (first, last)]
    ends = f"{per_cent(rates[0])} at {first.condition} to {per_cent(rates[1])} at {last.condition}"
    if trend is None:
        return f"infra errors are {per_cent(rates[0])} at {first.condition}"
    p = trend.these.p_value
    if p is None:
        return f"infra errors go from {ends} ({_withheld(trend.these)})"
    if p >= ALPHA:
        return (
            f"infra errors go from {ends}, not distinguishable from no trend "
            f"({probability(p)}), {NO_PROOF}"
        )
    falls = (trend.these.estimate or 0.0) < 0
    steady = "" if _monotone(shown, falls=falls) else ", not at every step"
    verb = "fall" if falls else "rise"
    return f"infra errors {verb} from {ends} (trend over all ceilings {probability(p)}{steady})"


def _monotone(rows: Sequence[CeilingRow], *, falls: bool) -> bool:
    rates = [row.rates.infra.estimate or 0.0 for row in rows]
    ordered = sorted(rates, reverse=falls)
    return rates == ordered


def score_statement(rows: Sequence[CeilingRow], reference: str) -> str:
    """Say how the score at the last ceiling differs from the reference."""
    changes = [row.score_change for row in rows if row.score_change is not None]
    if not changes:
        return f"there is no other ceiling to compare {reference} with"
    last = changes[-1]
    said = _score_change(last)
    same = [
        change.b for change in changes[:-1] if change.p_holm is not None and change.p_holm >= ALPHA
    ]
    if same:
        said += f"; {listing(same)} {'is' if len(same) == 1 else 'are'} not distinguishable "
        said += f"from {reference} in score"
    if last.concentrated_effect:
        said += f"; the effect sits on {listing(last.concentrated_on)}"
    return said


def _score_change(change: Comparison) -> str:
    result = change.these
    if result.estimate is None:
        return f"the score at {change.b} cannot be compared with {change.a}"
    moved = f"{points(result.estimate)} from {change.a} to {change.b}"
    interval = _interval(result)
    raw, adjusted = result.p_value, change.p_holm
    if raw is None or adjusted is None:
        return f"the score moves {moved} ({interval}; {_withheld(result)})"
    tested = probability(raw)
    if adjusted != raw:
        tested += f", after Holm over the ceilings {probability(adjusted)}"
    if adjusted >= ALPHA:
        return (
            f"the score moves {moved} ({interval}; {tested}), not distinguishable from no "
            f"change, {NO_PROOF}"
        )
    verb = "rises" if result.estimate > 0 else "falls"
    return f"the score {verb} by {moved.lstrip('+−')} ({interval}; {tested})"


def ranking_statement(found: Sequence[Interaction], last: str, pairs: int) -> str:
    """Say whether the ranking of agents differs between reference and last ceiling.

    Args:
        found: all interactions of the sweep.
        last: the ceiling with the most room.
        pairs: pairs of agents; with several the p-values are Holm's.

    """
    planned = [item for item in found if item.b == last]
    if not planned:
        return ""
    several = pairs > 1
    return "; ".join(
        _pair_statement(item, adjust=several) for item in _surest(planned, several=several)
    )


def _surest(planned: Sequence[Interaction], *, several: bool) -> Sequence[Interaction]:
    """With many pairs only the clearest reversal is told; the table has the rest."""
    if not several:
        return planned
    ranked = sorted(planned, key=lambda item: (not item.reversed, item.reversal_p or 2.0))
    return ranked[:1]


def _pair_statement(item: Interaction, *, adjust: bool) -> str:
    x, y = item.agents
    gaps = [gap.these.estimate for gap in (item.gap_a, item.gap_b)]
    if gaps[0] is None or gaps[1] is None:
        return f"{x} and {y} cannot be compared at both {item.a} and {item.b}"
    where = f"{_lead(item.leads_a, gaps[0], item.a)} and {_lead(item.leads_b, gaps[1], item.b)}"
    changed = item.p_holm if adjust else item.like.p_value
    gap = f"the gap between them changes by {points(item.like.estimate or 0.0)}"
    gap += f", {probability(changed)} by tasks" if changed is not None else ""
    p = item.reversal_p_holm if adjust else item.reversal_p
    if not item.reversed:
        return f"{where}: no change of the ranking ({gap})"
    if p is None:
        return f"{where} ({gap}; {_withheld(item.gap_a.these)})"
    if p >= ALPHA:
        return (
            f"{where} ({gap}), but that the ranking itself changes is not sure ({probability(p)})"
        )
    return (
        f"the ranking differs: {where} ({gap}); were it the same at both, data this clear would "
        f"come about {chance(p)} ({probability(p)})"
    )


def _lead(leader: str | None, gap: float, condition: str) -> str:
    if leader is None:
        return f"the agents are level at {condition}"
    return f"{leader} leads at {condition} by {points(abs(gap)).removeprefix('+')}"


def anyway_statement(found: Sequence[FailedAnyway], reference: str, agents: int) -> str:
    """Say what share of the reference's kills would have failed anyway."""
    for item in found:
        if item.a == reference and len(item.agents) == agents and item.these.estimate is not None:
            share = per_cent(item.these.estimate)
            return (
                f"of {count(item.kills, 'trial')} that the ceiling killed at {item.a}, {share} "
                f"would have failed at {item.b} too ({_interval(item.these)})"
            )
    return f"the ceiling killed no trial at {reference}"


def sensitivity_statement(rows: Sequence[SensitivityRow], headline: Sequence[CeilingRow]) -> str:
    """Say whether counting suspects as infra errors changes a conclusion."""
    if not rows:
        return "no trial is a suspect, so the classification changes nothing"
    suspects = sum(row.suspects for row in rows)
    turned: list[str] = []
    for row, head in zip(rows, headline, strict=True):
        pair = (row.infra_change, head.infra_change)
        found = [change.p_holm for change in pair if change is not None]
        if len(found) == len(pair) and _sides(found):
            turned.append(row.condition)
    text = f"{count(suspects, 'suspect')} counted as infra errors"
    if turned:
        return f"{text} would turn the finding on infra errors at {listing(turned)}"
    return f"{text} would turn no finding on infra errors"


def _sides(p_values: Sequence[float | None]) -> bool:
    known = [p < ALPHA for p in p_values if p is not None]
    return any(known) and not all(known)


def _interval(result: Result) -> str:
    if result.ci_low is None or result.ci_high is None:
        return "no interval"
    return f"95% CI {span(result.ci_low, result.ci_high, unit=result.unit)}"


def _withheld(result: Result) -> str:
    return f"not tested: {'; '.join(result.reasons)}" if result.reasons else "not tested"
