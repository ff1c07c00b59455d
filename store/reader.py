"""Named questions, typed answers: the only way in which others read the store.

A ``Reader`` stands on anything that answers a SELECT (``store.answers.Answers``): an open
``store.database.Database`` here, a served store later. It holds no state, so a question
asked again sees what was loaded meanwhile.

======================  =====================================================================
``sweeps``              all sweeps: plan, campaigns, how far
``sweep``               the one sweep that a user means (id, prefix, name, or the only one)
``tries``               ended tries with their evidence: outcomes only, or all
``trials``              trials that were begun
``trials_called``       trials by prefix of the id or by task name
``trial``               the one trial that a user means
``story``               everything about one trial
``words``               what people say of verdicts, trials, hosts and times
``hosts``               hosts that are known
``running``             tries that run now, as last heard of
``condition_counts``    outcomes, passes, kills, timeouts and errors a condition and agent
``counts``              how much the store holds, what is missing, which time it spans
``host_kills``          the kernel's count of OOM kills on each host against ours
``kill_totals``         each sandbox's own count of OOM kills against ours
``samples``             memory of one try over time, in at most so many slices
``dead_letters``        what in the log is no event
``gaps``                what is missing, and what explains it
``positions``           how far the loader is in each stream
======================  =====================================================================
"""

from dataclasses import fields
from typing import Final, TypeVar

from store.answers import Answers, made
from store.catalogue import query
from store.errors import StoreNotFoundError
from store.gaps import explained
from store.literals import Value
from store.rows import (
    ConditionCount,
    Evidence,
    RunningRow,
    StoreCounts,
    SweepRow,
    TrialRow,
    TryRow,
    WordRow,
)
from store.spans import sampled_span
from store.story import (
    BegunRow,
    DeadLetterRow,
    EndRow,
    ExecRow,
    GapRow,
    HostKills,
    KillRow,
    KillTotal,
    PhaseRow,
    SampleBucket,
    SandboxEndRow,
    SandboxRow,
    StateRow,
    Story,
    UsageRow,
)

Row = TypeVar("Row")

DEFAULT_BUCKETS: Final = 2000
_SHOWN: Final = 5
_EVIDENCE: Final = frozenset(field.name for field in fields(Evidence))


class Reader:
    """Answers the questions of ``store/sql/queries``."""

    def __init__(self, answers: Answers) -> None:
        """Stand on an open database or on a served one."""
        self._answers = answers

    def sweeps(self) -> list[SweepRow]:
        """All sweeps in the order in which they were planned."""
        return self._ask("sweeps", SweepRow)

    def sweep(self, text: str | None = None) -> SweepRow:
        """The sweep that ``text`` names: its id, a prefix of it, or its name.

        Args:
            text: None for the only sweep (the usual case: one data folder, one sweep).

        Raises:
            StoreNotFoundError: there is none, or more than one.

        """
        found = self.sweeps()
        if text is not None:
            found = [row for row in found if row.sweep == text] or [
                row for row in found if row.sweep.startswith(text) or row.name == text
            ]
        if len(found) == 1:
            return found[0]
        raise StoreNotFoundError(
            "more than one sweep is meant" if found else "no such sweep in this store",
            field="SWEEP",
            value=text,
            remedy=_choice([f"{row.sweep} ({row.name})" for row in found or self.sweeps()]),
        )

    def tries(
        self, *, sweep: str | None = None, trial: str | None = None, outcomes_only: bool = True
    ) -> list[TryRow]:
        """Ended tries with their evidence, in order of time.

        Args:
            sweep: a whole sweep id; None for all.
            trial: a whole trial id; None for all.
            outcomes_only: only the first standing try of each trial; else also later ones,
                cancelled ones and those of dead runners.

        """
        sql = query("tries").fill({"sweep": sweep, "trial": trial, "outcomes_only": outcomes_only})
        return [_try(dict(record)) for record in self._answers.ask(sql).records()]

    def trials(self, sweep: str | None = None) -> list[TrialRow]:
        """All trials that were begun, in order of their latest try."""
        return self._ask("trials", TrialRow, sweep=sweep)

    def trials_called(self, text: str, *, sweep: str | None = None) -> list[TrialRow]:
        """Trials whose id begins with ``text`` (3 characters or more) or whose task it is."""
        ids = self._answers.ask(query("trial_ids_called").fill({"text": text})).rows
        named = [str(name) for (name,) in ids]
        if not named:
            return []
        return self._ask("trials_called", TrialRow, text=text, sweep=sweep, trials=named)

    def trial(self, text: str, *, sweep: str | None = None) -> TrialRow:
        """The one trial that ``text`` names.

        Raises:
            StoreNotFoundError: none, or several; the sentence lists some of them.

        """
        found = self.trials_called(text, sweep=sweep)
        exact = [row for row in found if row.trial == text]
        if len(exact or found) == 1:
            return (exact or found)[0]
        choice = [
            f"{row.trial} ({row.task}, {row.agent}, {row.condition}, attempt {row.attempt})"
            for row in found
        ]
        raise StoreNotFoundError(
            f"{len(found)} trials are called that" if found else "no such trial in this store",
            field="TRIAL",
            value=text,
            remedy=_choice(choice)
            if found
            else "name a task, or the first characters of a trial's id",
        )

    def story(self, trial: str) -> Story:
        """Everything about one trial.

        Args:
            trial: its whole id; ``trial`` finds it.

        Raises:
            StoreNotFoundError: no such trial.

        """
        row = self.trial(trial)
        key = row.trial
        begun = self._ask("trial_begun", BegunRow, trial=key)
        ends = self._ask("trial_ends", EndRow, trial=key)
        low_us, high_us = sampled_span(begun, ends)
        return Story(
            trial=row,
            outcomes=self.tries(trial=key, outcomes_only=False),
            begun=begun,
            ends=ends,
            phases=self._ask("trial_phases", PhaseRow, trial=key),
            execs=self._ask("trial_execs", ExecRow, trial=key),
            kills=self._ask("trial_kills", KillRow, trial=key),
            sandboxes=self._ask("trial_sandboxes", SandboxRow, trial=key),
            states=self._ask("trial_states", StateRow, trial=key),
            sandbox_ends=self._ask("trial_sandbox_ends", SandboxEndRow, trial=key),
            usage=self._ask("trial_usage", UsageRow, trial=key, low_us=low_us, high_us=high_us),
            words=self._ask("trial_words", WordRow, trial=key),
        )

    def words(self, sweep: str | None = None) -> list[WordRow]:
        """What people say and have not taken back, in order of time.

        Args:
            sweep: leave out words on trials of other sweeps; None: all.

        """
        return self._ask("words", WordRow, sweep=sweep)

    def hosts(self) -> list[str]:
        """Hosts that are known, by name."""
        return [str(host) for (host,) in self._answers.ask(query("hosts").fill({})).rows]

    def running(self, sweep: str | None = None) -> list[RunningRow]:
        """Tries that have begun and not ended; those of a dead runner are among them."""
        return self._ask("running", RunningRow, sweep=sweep)

    def condition_counts(self, sweep: str | None = None) -> list[ConditionCount]:
        """Outcomes by condition and agent, the conditions in the order of their first trial."""
        return self._ask("condition_counts", ConditionCount, sweep=sweep)

    def counts(self) -> StoreCounts:
        """How much there is."""
        return self._ask("counts", StoreCounts)[0]

    def host_kills(self) -> list[HostKills]:
        """The audit of kills, a row a host; empty where no host sample was taken."""
        return self._ask("host_kills", HostKills)

    def kill_totals(self) -> list[KillTotal]:
        """The audit of kills, a row a sandbox of a try: its counter against what was told."""
        return self._ask("kill_totals", KillTotal)

    def samples(
        self, trial: str, try_no: int | None, *, buckets: int = DEFAULT_BUCKETS
    ) -> list[SampleBucket]:
        """Memory of one try over time.

        Args:
            trial: whole id.
            try_no: which try.
            buckets: the most slices to return; with fewer samples than that, each its own.

        """
        return self._ask(
            "trial_samples", SampleBucket, trial=trial, try_no=try_no, buckets=max(1, buckets)
        )

    def dead_letters(self, limit: int = 1000) -> list[DeadLetterRow]:
        """The first ``limit`` pieces of the log that are no events."""
        return self._ask("dead_letters", DeadLetterRow, limit=limit)

    def gaps(self) -> list[GapRow]:
        """What is missing of each source, cut up by what explains it."""
        return explained(self._answers)

    def positions(self) -> dict[str, int]:
        """Stream -> next offset that will be loaded."""
        rows = self._answers.ask(query("positions").fill({})).rows
        return {str(stream): int(str(offset)) for stream, offset in sorted(rows)}

    def _ask(self, name: str, row: type[Row], **values: Value) -> list[Row]:
        return self._answers.ask(query(name).fill(values)).to(row)


def _try(record: dict[str, object]) -> TryRow:
    """Move the columns that are evidence into one value of their own."""
    known = {name: record.pop(name) for name in _EVIDENCE & record.keys()}
    return made(TryRow, record | {"evidence": made(Evidence, known)})


def _choice(names: list[str]) -> str:
    if not names:
        return "run a sweep first, or name another folder with --dir"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"there are: {', '.join(names[:_SHOWN])}{more}"
