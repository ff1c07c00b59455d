"""``barograph report``: what did the ceilings do to the score of this sweep?"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

import typer

from analysis.dataset import analyse_sweep, judged_trials
from analysis.overriding import overridden, overrides_of, sentence
from analysis.plain import Plain, to_plain
from analysis.result import Frame
from analysis.sweep_report import SweepAnalysis
from analysis.verdicts.reading import policy_v1
from barograph.folder import DEFAULT_FOLDER, DataFolder
from store.rows import SweepRow, WordRow
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption, SweepArgument
from ui.cli.output import answer, console
from ui.cli.reading import reading
from ui.reports import markdown
from ui.reports import sweep as rendered


class FrameChoice(StrEnum):
    """Which randomness the intervals and p-values of the tables are about."""

    these_tasks = "these_tasks"
    tasks_like_these = "tasks_like_these"


def report(
    sweep: SweepArgument = None,
    *,
    folder: DirOption = DEFAULT_FOLDER,
    frame: Annotated[
        FrameChoice,
        typer.Option("--frame", help="Whose intervals and p-values the tables show."),
    ] = FrameChoice.these_tasks,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference", metavar="CEILING", help="Compare with this one; else the first."
        ),
    ] = None,
    with_overrides: Annotated[
        bool,
        typer.Option("--with-overrides", help="Count people's verdicts in place of the policy's."),
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="The same as a Markdown document.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what the ceilings did to the score: verdict, curve, tables, and what to doubt.

    SWEEP is a sweep's name or id; without it, the folder's only sweep. Loads what is new in
    the journal first. --json has every record in both frames.
    """
    config = Config.of(folder, as_json=as_json)
    data = DataFolder.existing(config.folder)
    which: Frame = "these_tasks" if frame is FrameChoice.these_tasks else "tasks_like_these"
    if as_markdown and not as_json:
        told = _analysed(config, data, sweep, reference, with_overrides=with_overrides)
        document = markdown.document(told.found, name=told.row.name, frame=which)
        console(config).print(document, soft_wrap=True)
        return
    give_report(
        config,
        data,
        kind="report",
        sweep=sweep,
        frame=which,
        reference=reference,
        with_overrides=with_overrides,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """An analysis and what it is of."""

    found: SweepAnalysis
    row: SweepRow
    overrides: Mapping[str, WordRow]
    """Trial -> what a person says in place of the policy."""
    with_overrides: bool


def give_report(
    config: Config,
    data: DataFolder,
    *,
    kind: str,
    sweep: str | None = None,
    frame: Frame = "these_tasks",
    reference: str | None = None,
    with_overrides: bool = False,
) -> None:
    """Load what is new, analyse, and print; what ``report`` and ``demo`` have in common.

    Raises:
        StoreNotFoundError: no such sweep.
        NoTrialsError: no trial has ended yet.

    """
    told = _analysed(config, data, sweep, reference, with_overrides=with_overrides)
    width = console(config).width
    shown = rendered.render(told.found, name=told.row.name, frame=frame, width=width)
    answer(config, kind, _content(told, frame), shown)


def _analysed(
    config: Config,
    data: DataFolder,
    sweep: str | None,
    reference: str | None,
    *,
    with_overrides: bool,
) -> _Told:
    policy = policy_v1()
    with reading(config, data) as reader:
        row = reader.sweep(sweep)
        judged = judged_trials(reader, row.sweep, policy)
        overrides = overrides_of(judged, reader.words(row.sweep))
    if with_overrides:
        judged = overridden(judged, overrides, policy)
    found = analyse_sweep(row, judged, reference=reference)
    said = sentence(len(overrides), counted=with_overrides)
    if said is not None:
        found = replace(found, guards=(*found.guards, said))
    return _Told(found=found, row=row, overrides=overrides, with_overrides=with_overrides)


def _content(told: _Told, frame: Frame) -> dict[str, object]:
    policy, found, row = policy_v1(), told.found, told.row
    return {
        "sweep": row.sweep,
        "name": row.name,
        "digest": row.digest,
        "seed": row.seed,
        "frame": frame,
        "trials_planned": row.trials,
        "trials_done": row.standing,
        "policy": {"name": policy.name, "version": policy.version, "digest": policy.digest},
        "with_overrides": told.with_overrides,
        "overrides": list(told.overrides.values()),
        "verdict": found.verdict,
        "statements": list(found.statements),
        "guards": list(found.guards),
        "curve": [_point(found, place) for place in range(len(found.table))],
        "analysis": to_plain(found),
    }


def _point(found: SweepAnalysis, place: int) -> dict[str, Plain]:
    """One ceiling in the numbers that most readers come for; the records are in analysis."""
    row = found.table[place]
    infra, score = row.rates.infra, row.rates.score
    return {
        "condition": row.condition,
        "trials": row.n,
        "infra_rate": infra.estimate,
        "infra_ci_low": infra.ci_low,
        "infra_ci_high": infra.ci_high,
        "infra_p": None if row.infra_change is None else row.infra_change.these.p_value,
        "infra_p_holm": None if row.infra_change is None else row.infra_change.p_holm,
        "score": score.estimate,
        "score_ci_low": score.ci_low,
        "score_ci_high": score.ci_high,
        "score_change_points": (
            None if row.score_change is None else row.score_change.these.estimate
        ),
        "score_p": None if row.score_change is None else row.score_change.these.p_value,
        "score_p_holm": None if row.score_change is None else row.score_change.p_holm,
    }
