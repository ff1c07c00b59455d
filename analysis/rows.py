"""What the analysis starts from: one row a trial, judged, and nothing about storage.

A row stands for the trial's first standing try; that it was tried again is a number
beside it and never a second row, because a retry policy hides infrastructure noise.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from analysis.verdicts.engine import Verdict, evidence_digest, judge
from analysis.verdicts.policy import Policy
from analysis.verdicts.vocabulary import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRow:
    """One trial with the evidence about its first standing try."""

    sweep: str
    trial: str
    task: str
    agent: str
    condition: str
    attempt: int
    """The planned repeat, 1..k."""
    evidence: Evidence = field(default_factory=dict[str, object])
    model: str | None = None
    """None for scripted agents, which are not models."""
    tries: int = 1
    """Executions of the trial, the standing one included."""
    try_no: int = 1
    """Which of them this is about."""
    oom_phase: str | None = None
    """Phase of the kill that matters most: that of the evidence, else of the first kill."""
    oom_command: str | None = None
    """Command that the killed process belonged to, as recorded (redacted, cut)."""

    @property
    def contestant(self) -> str:
        """Who is compared: the agent, with its model where there is one."""
        return self.agent if self.model is None else f"{self.agent} ({self.model})"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTrial:
    """A row with the verdict of one policy."""

    row: TrialRow
    verdict: Verdict


def judge_rows(policy: Policy, rows: Iterable[TrialRow]) -> tuple[JudgedTrial, ...]:
    """Judge every row; equal evidence is judged once.

    Args:
        policy: the verdict policy.
        rows: trials.

    Returns:
        The rows with their verdicts, in the same order.

    Raises:
        EvidenceError: a fact has a value of the wrong type.

    """
    verdicts: dict[str, Verdict] = {}
    judged: list[JudgedTrial] = []
    for row in rows:
        digest = evidence_digest(row.evidence)
        verdict = verdicts.get(digest)
        if verdict is None:
            verdict = verdicts[digest] = judge(policy, row.evidence, digest=digest)
        judged.append(JudgedTrial(row=row, verdict=verdict))
    return tuple(judged)
