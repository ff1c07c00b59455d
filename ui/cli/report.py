"""``barograph report``: what did the ceilings do to the score of this sweep?"""

from enum import StrEnum
from typing import Annotated

import typer

from analysis.dataset import analyse_sweep, judged_trials
from analysis.plain import Plain, to_plain
from analysis.result import Frame
from analysis.sweep_report import SweepAnalysis
from analysis.verdicts.reading import policy_v1
from barograph.folder import DEFAULT_FOLDER, DataFolder
from store.rows import SweepRow
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
        found, row = _analysed(config, data, sweep, reference)
        console(config).print(markdown.document(found, name=row.name, frame=which), soft_wrap=True)
        return
    give_report(config, data, kind="report", sweep=sweep, frame=which, reference=reference)


def give_report(
    config: Config,
    data: DataFolder,
    *,
    kind: str,
    sweep: str | None = None,
    frame: Frame = "these_tasks",
    reference: str | None = None,
) -> None:
    """Load what is new, analyse, and print; what ``report`` and ``demo`` have in common.

    Raises:
        StoreNotFoundError: no such sweep.
        NoTrialsError: no trial has ended yet.

    """
    found, row = _analysed(config, data, sweep, reference)
    width = console(config).width
    shown = rendered.render(found, name=row.name, frame=frame, width=width)
    answer(config, kind, _content(found, row, frame), shown)


def _analysed(
    config: Config, data: DataFolder, sweep: str | None, reference: str | None
) -> tuple[SweepAnalysis, SweepRow]:
    with reading(config, data) as reader:
        row = reader.sweep(sweep)
        judged = judged_trials(reader, row.sweep, policy_v1())
    return analyse_sweep(row, judged, reference=reference), row


def _content(found: SweepAnalysis, row: SweepRow, frame: Frame) -> dict[str, object]:
    policy = policy_v1()
    return {
        "sweep": row.sweep,
        "name": row.name,
        "digest": row.digest,
        "seed": row.seed,
        "frame": frame,
        "trials_planned": row.trials,
        "trials_done": row.standing,
        "policy": {"name": policy.name, "version": policy.version, "digest": policy.digest},
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
