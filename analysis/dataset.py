"""From the store to rows: the only module here that knows the store.

Everything else takes rows, so that numbers can be computed from any source (a file, another
store, a test) and never depend on how it is asked. A trial stands by its first standing
try, as the store's query decides; how often it was tried in all is kept beside it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields

from analysis.cells import Cell, Outcomes, tally
from analysis.rows import JudgedTrial, TrialRow, judge_rows
from analysis.sweep_report import SweepAnalysis, analyse_cells
from analysis.verdicts.engine import Verdict, judge
from analysis.verdicts.policy import Policy
from store.pages.overview import CellRow
from store.reader import Reader
from store.rows import SweepRow, TryRow


def judge_try(policy: Policy, row: TryRow) -> Verdict:
    """Give the verdict on one try of a trial, standing or not.

    Args:
        policy: the verdict policy.
        row: an ended try with its evidence.

    Returns:
        The verdict; its evidence is what the store computed from events.

    """
    return judge(policy, row.evidence.known())


def trial_row(row: TryRow, *, tries: int = 1) -> TrialRow:
    """Take what the analysis needs of a try.

    Args:
        row: the try that is its trial's outcome.
        tries: executions of the trial, this one included.

    """
    return TrialRow(
        sweep=row.sweep,
        trial=row.trial,
        task=row.task,
        agent=row.agent,
        model=row.model,
        condition=row.condition,
        attempt=row.attempt,
        evidence=row.evidence.known(),
        tries=tries,
        try_no=row.try_no,
        oom_phase=row.kill_phase,
        oom_command=row.kill_command,
    )


def trial_rows(outcomes: Iterable[TryRow], tries: Mapping[str, int]) -> tuple[TrialRow, ...]:
    """Take the outcomes of trials; tries that are no outcome are left out.

    Args:
        outcomes: ended tries.
        tries: trial -> how often it was begun.

    """
    return tuple(
        trial_row(row, tries=max(1, tries.get(row.trial, 1))) for row in outcomes if row.outcome
    )


def judged_trials(reader: Reader, sweep: str, policy: Policy) -> tuple[JudgedTrial, ...]:
    """Read and judge the trials of a sweep that have an outcome.

    Args:
        reader: an open store.
        sweep: its whole id.
        policy: the verdict policy.

    Returns:
        One entry a trial, in the store's order.

    Raises:
        StoreError: the store could not answer.

    """
    begun = {row.trial: row.tries for row in reader.trials(sweep)}
    return judge_rows(policy, trial_rows(reader.tries(sweep=sweep), begun))


def cells_of(rows: Iterable[CellRow]) -> tuple[Cell, ...]:
    """Take the cell table as the store counted it from its verdicts.

    Args:
        rows: one a (model, agent, task, condition); the same counts as ``tally`` makes of
            judged trials, without a trial having travelled.

    """
    names = [item.name for item in fields(Outcomes)]
    return tuple(
        Cell(
            sweep=row.sweep,
            model=row.model,
            agent=row.agent,
            task=row.task,
            condition=row.condition,
            outcomes=Outcomes(**{name: getattr(row, name) for name in names}),
        )
        for row in rows
    )


def analyse_sweep(
    sweep: SweepRow, judged: Iterable[JudgedTrial], *, reference: str | None = None
) -> SweepAnalysis:
    """Analyse a sweep in the order of ceilings and agents that its file gave.

    Args:
        sweep: the sweep's plan.
        judged: its trials.
        reference: the ceiling that others are compared with; None: the first.

    Raises:
        NoTrialsError: no trial has ended.
        QuestionError: the sweep has no such ceiling.

    """
    return analyse_sweep_cells(sweep, tally(judged), reference=reference)


def analyse_sweep_cells(
    sweep: SweepRow, cells: Iterable[Cell], *, reference: str | None = None
) -> SweepAnalysis:
    """Analyse a sweep's cell table; see ``analyse_sweep``."""
    listed = list(cells)
    planned = sweep.agents or []
    # With models, contestants have longer names than the file's agents: alphabetical then.
    known = {cell.contestant for cell in listed} <= set(planned)
    return analyse_cells(
        listed,
        conditions=sweep.conditions or tuple(dict.fromkeys(cell.condition for cell in listed)),
        reference=reference,
        agents=planned if known else None,
    )
