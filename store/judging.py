"""The cache of verdicts: every ended try, as one policy judges it, in a table.

A verdict is no fact. It is what a policy makes of evidence, and evidence is what events
say; so ``judged_try`` can be dropped at any time, and is not part of what an audit or a
rebuild compares. It is kept because 50,000 trials cannot be judged again for every picture
of a page. What is kept is right as long as two digests are: the policy's, and that of the
row of ``evidence`` that the try has now. Both are compared in SQL, so that nothing which
has not changed comes to Python, and whatever changes evidence (a kill that was told late, an
earlier try that ended after a later one) needs no rule of its own here.

What the policy says is not this package's business: it is handed over as a value with a
function (``JudgingPolicy``; the one of the product is ``analysis.judging``). Equal evidence
is judged once. All verdicts of one ``refresh`` are one transaction: a reader sees the old
ones or the new ones.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Final

from store.catalogue import catalogue, judging
from store.database import Database
from store.literals import Value
from store.rows import Evidence
from store.slices import Slices

Follower = Callable[[Database, frozenset[str] | None], bool]
"""Called with the trials that were touched, None for all; whether verdicts changed."""

_TABLE: Final = "0008_verdicts"
_AT_ONCE: Final = 10_000
"""Tries whose evidence is in Python at one time."""
_FACTS: Final = tuple(field.name for field in fields(Evidence))
_Values = Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict as it is kept: what ``judged_try`` has of it."""

    cause: str
    family: str
    confidence: str
    counts_as: str
    says: str
    ceiling_kill: bool
    also: tuple[str, ...]
    because: tuple[Mapping[str, object], ...]
    """``{"fact", "value"}``, of JSON types: what it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingPolicy:
    """A policy as the store needs it."""

    name: str
    version: int
    digest: str
    """Of what it says: another digest is another policy."""
    digest_of: Callable[[Mapping[str, object]], str]
    """Evidence (known facts by name) -> its digest."""
    judge: Callable[[Mapping[str, object]], Judgement]
    """Evidence -> verdict. Pure: the same evidence has the same verdict."""


def refresh(database: Database, policy: JudgingPolicy, trials: Collection[str] | None) -> bool:
    """Judge the ended tries whose evidence, or whose policy, is not the one that is kept.

    Args:
        database: the open store, not in a transaction; nobody else refreshes it meanwhile.
        policy: what to judge by.
        trials: only these (what a batch touched); None: all, as whenever it is not known
            what changed since the last time.

    Returns:
        Whether any verdict is another now.

    Raises:
        StoreError: the store could not be asked or written; nothing was changed.

    """
    if trials is None:
        _make_table(database)
        with database.cursor() as whole:
            whole.run(judging("touch_all").fill({}))
            return _Refreshing(whole, policy).run()
    with Slices(database) as slices:
        return _refresh_some(slices, policy, trials)


def follower(policy: JudgingPolicy) -> Follower:
    """``refresh`` by one policy, for whoever loads and does not know of policies.

    Its slice is kept for the next batch: to lay one out takes half as long as to judge by it.
    It goes with the open store that it belongs to.
    """
    held: dict[Database, Slices] = {}

    def follow(database: Database, trials: frozenset[str] | None) -> bool:
        if trials is None:
            return refresh(database, policy, trials)
        slices = held.pop(database, None)
        if slices is None:
            held.clear()
            slices = Slices(database)
        # One that failed half-way is not put back.
        changed = _refresh_some(slices, policy, trials)
        held[database] = slices
        return changed

    return follow


def _refresh_some(slices: Slices, policy: JudgingPolicy, trials: Collection[str]) -> bool:
    if not trials:
        return False
    _make_table(slices.database)
    return slices.take(trials) and _Refreshing(slices.database, policy).run()


def _make_table(database: Database) -> None:
    """Somebody may have dropped it: that is allowed."""
    database.run(catalogue("migrations")[_TABLE].sql)


class _Refreshing:
    """One refresh, in a connection in which ``evidence`` and ``touched`` say what it is about."""

    def __init__(self, database: Database, policy: JudgingPolicy) -> None:
        self._database = database
        self._policy = policy
        self._by: _Values = {
            "policy": policy.name,
            "version": policy.version,
            "digest": policy.digest,
        }

    def run(self) -> bool:
        """Compare, forget, judge and keep; whether there was anything to do."""
        database = self._database
        with database.transaction():
            database.run(judging("tell").fill({}))
            forgotten = _count(database, judging("forget").fill(self._by))
            fresh = _count(database, judging("unjudged").fill({}))
            for first in range(1, fresh + 1, _AT_ONCE):
                self._keep(first)
        return bool(forgotten or fresh)

    def _keep(self, first: int) -> None:
        """Judge the unjudged tries from number ``first`` on, as many as go at once."""
        database, policy = self._database, self._policy
        asked: _Values = {"first": first, "count": _AT_ONCE, "names": _FACTS}
        table = database.ask(judging("facts").fill(asked))
        digests: list[str] = []
        verdicts: dict[str, Judgement] = {}
        for known in _known(table.columns[1:], table.rows):
            digest = policy.digest_of(known)
            digests.append(digest)
            if digest not in verdicts:
                verdicts[digest] = policy.judge(known)
        kinds, lines = _laid_out(verdicts)
        database.run(judging("kinds").fill({"kinds": _json(kinds)}))
        database.run(judging("verdicts").fill({"verdicts": _json(lines)}))
        kept = judging("keep").fill({**self._by, "first": first, "digests": _json(digests)})
        database.run(kept)


def _count(database: Database, sql: str) -> int:
    """Run a statement that answers with the number of rows that it changed or made."""
    ((rows,),) = database.ask(sql).rows
    return int(str(rows))


def _known(
    names: Sequence[str], rows: Sequence[tuple[object, ...]]
) -> Iterator[Mapping[str, object]]:
    """Each row's evidence in the words of the vectors: what is not known is not there."""
    for _, *values in rows:
        yield {name: value for name, value in zip(names, values, strict=True) if value is not None}


def _laid_out(verdicts: Mapping[str, Judgement]) -> tuple[list[object], list[object]]:
    """What many verdicts share, and one entry each evidence that names its kind."""
    kinds: dict[Judgement, int] = {}
    lines: list[object] = [
        {
            "evidence_digest": digest,
            "kind": kinds.setdefault(replace(one, because=()), len(kinds)),
            "because": one.because,
        }
        for digest, one in verdicts.items()
    ]
    return [{"kind": number, **asdict(one)} for one, number in kinds.items()], lines


def _json(value: object) -> str:
    # Rows go to DuckDB as JSON in SQL text: a tenth of the time of binding them one by one,
    # and a file may not be read once the store is served.
    return json.dumps(value, ensure_ascii=False)
