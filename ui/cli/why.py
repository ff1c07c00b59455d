"""``barograph why``: why did this trial end as it did, or what ended the trials of a sweep?"""

from typing import Annotated

import typer

from analysis.dataset import judge_try, judged_trials
from analysis.failures import group_failures
from analysis.verdicts.reading import policy_v1
from barograph.folder import DEFAULT_FOLDER, DataFolder
from store.errors import StoreNotFoundError
from store.reader import Reader
from store.rows import SweepRow, TrialRow
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption
from ui.cli.output import answer, console
from ui.cli.reading import reading
from ui.naming import the_trial
from ui.reports import failures as failures_report
from ui.reports import story as story_report
from ui.stories.trial import Judged, tell


def why(
    trial_or_sweep: Annotated[
        str | None,
        typer.Argument(
            metavar="TRIAL|SWEEP",
            help="A trial's id or its first characters, task/agent/ceiling/attempt or the first "
            "parts of it, or a sweep's name or id; else the folder's only sweep.",
        ),
    ] = None,
    *,
    folder: DirOption = DEFAULT_FOLDER,
    try_no: Annotated[
        int | None,
        typer.Option("--try", metavar="N", min=1, help="Tell this try; else the one that counts."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell why a trial ended as it did; or, for a sweep, what its failures have in common.

    Each sentence has the events behind it. What fits several trials is refused with some of
    them (exit code 2), what fits none with 5. Loads what is new in the journal first.
    """
    config = Config.of(folder, as_json=as_json)
    data = DataFolder.existing(config.folder)
    with reading(config, data) as reader:
        sweep = _sweep_called(reader, trial_or_sweep)
        if sweep is not None:
            _tell_sweep(config, reader, sweep)
        else:
            _tell_trial(config, reader, trial_or_sweep or "", try_no)


def _sweep_called(reader: Reader, text: str | None) -> SweepRow | None:
    """The sweep that is meant, if one is: a whole id or name, or none at all."""
    if text is None:
        return reader.sweep()
    return next((row for row in reader.sweeps() if text in {row.sweep, row.name}), None)


def _tell_sweep(config: Config, reader: Reader, sweep: SweepRow) -> None:
    found = group_failures(judged_trials(reader, sweep.sweep, policy_v1()))
    shown = failures_report.render(found, sweep.conditions or ())
    answer(config, "why", failures_report.content(sweep.sweep, found), shown)


def _tell_trial(config: Config, reader: Reader, text: str, try_no: int | None) -> None:
    trial = the_trial(reader, text)
    story = reader.story(trial.trial)
    chosen = try_no or trial.standing_try or trial.latest_try
    if all(row.try_no != chosen for row in story.begun):
        raise StoreNotFoundError(
            "the trial has no such try", field="--try", value=chosen, remedy=_tries(trial)
        )
    policy = policy_v1()
    mine = [Judged(row=row, verdict=judge_try(policy, row)) for row in story.outcomes]
    elsewhere = [
        Judged(row=row, verdict=judge_try(policy, row))
        for row in reader.tries(sweep=trial.sweep)
        if row.task == trial.task
    ]
    told = tell(story, chosen, mine, elsewhere)
    conditions = reader.sweep(trial.sweep).conditions or ()
    shown = story_report.render(told, conditions, width=console(config).width)
    answer(config, "why", story_report.content(told, story), shown)


def _tries(trial: TrialRow) -> str:
    return "it has one, number 1" if trial.tries == 1 else f"it has {trial.tries}"
