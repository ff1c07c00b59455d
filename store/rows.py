"""What the named queries answer about sweeps and tries, as frozen rows.

Field names are the column names of the queries; a test holds them together. Missing is
None: not known, never 0 and never false.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """One sweep: its plan and how far campaigns came with it."""

    sweep: str
    name: str
    digest: str
    seed: int
    trials: int
    """Planned."""
    attempts: int
    conditions: list[str] | None
    """In the order of the sweep file: the order of the ceilings."""
    agents: list[str] | None
    tasks: list[str]
    oom_scope: str | None
    timezone: str
    dataset: str | None
    harness: str
    product_version: str
    planned_t_us: int
    campaigns: int
    """Campaign processes that worked on it."""
    concurrency: int | None
    """Of the latest campaign."""
    first_started_t_us: int | None
    finished_t_us: int | None
    """When the latest campaign ended; None while one runs, or after it was killed."""
    finished_reason: str | None
    standing: int
    """Trials with a standing try."""
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known about one try, in the words of the verdict vectors.

    Every field is computed from events alone (view ``evidence``). The last group has no
    source of events yet and is always None.
    """

    passed: bool | None = None
    oom_kill: int | None = None
    """Kills by the sandbox's own ceiling; kills by a parent's are ``node_oom_kill_of_ours``."""
    oom_group_kill: int | None = None
    oom_phase: str | None = None
    """Phase of the killed command; ``verifier`` if any kill hit that."""
    pid1_exit: int | None = None
    timed_out: bool | None = None
    """The agent ran out of time; a verifier that did is a ``verifier_exception``."""
    killed_by_harness_timeout: bool | None = None
    verifier_ran: bool | None = None
    verifier_exception: str | None = None
    harness_exception: str | None = None
    cancelled_by_operator: bool | None = None
    container_started: bool | None = None
    start_error: str | None = None
    node_oom_kill_of_ours: bool | None = None
    throttled_frac: float | None = None
    """Share of CPU quota periods in which the quota ran out."""
    psi_mem_full_frac: float | None = None
    """Share of the sandbox's life in which all its tasks stalled for memory."""
    tool_wall_frac: float | None = None
    """Share of the agent's phase in which a command ran in the sandbox."""

    container_reason: str | None = None
    k8s_reasons: list[str] | None = None
    systemd_oomd_kill: bool | None = None
    enospc_count: int | None = None
    disk_used_frac: float | None = None
    net_errors_terminal: str | None = None
    api_terminal_status: int | None = None
    api_retries: int | None = None
    api_wait_frac: float | None = None
    api_excess_frac: float | None = None
    context_length_exceeded: bool | None = None

    def known(self) -> Mapping[str, object]:
        """Only what is known, as the vectors write it: an absent key is unknown."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class TryRow:
    """One ended try of a trial with its evidence: what rates and causes are made of."""

    sweep: str
    trial: str
    try_no: int
    task: str
    agent: str
    model: str | None
    condition: str
    attempt: int
    block: int
    host: str
    stands: bool
    """It ended, and was neither cancelled nor orphaned."""
    outcome: bool
    """It is the outcome of its trial: the first try that stands."""
    started_t_us: int
    finished_t_us: int
    duration_s: float
    how: str
    reward: float | None
    """Under the declared key; None when the verifier gave none."""
    spec_memory_bytes: int | None
    ceiling_bytes: int | None
    """As applied; None when uncapped or unknown."""
    ceiling_multiple: float | None
    parent_cap_bytes: int | None
    peak_bytes: int | None
    """Highest memory charged in the sandbox's life; a lower bound of the need if killed."""
    kills: int
    """Described OOM kills; ``evidence.oom_kill`` is the counter's word."""
    kill_phase: str | None
    kill_command: str | None
    """Command of the last kill that could be joined to one, redacted and cut."""
    kill_victim: str | None
    """Name of that kill's process."""
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRow:
    """One trial that was begun, with the state of its latest try."""

    sweep: str
    trial: str
    task: str
    agent: str
    model: str | None
    condition: str
    attempt: int
    tries: int
    standing_try: int | None
    latest_try: int
    latest_started_t_us: int
    latest_how: str | None
    """How the latest try ended; None: it runs, or its runner died."""
    reward: float | None
    """Of the standing try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningRow:
    """A try that has begun and not ended, as last heard of."""

    sweep: str
    trial: str
    try_no: int
    task: str
    agent: str
    condition: str
    host: str
    started_t_us: int
    phase: str | None
    phase_started_t_us: int | None
    usage_bytes: int | None
    peak_bytes: int | None
    ceiling_bytes: int | None
    kills: int
    last_t_us: int | None
    """Time of its latest sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionCount:
    """How far one condition of a sweep is."""

    sweep: str
    condition: str
    agent: str
    standing: int
    passed: int
    killed: int
    """Standing tries with at least one OOM kill."""
    timed_out: int
    errors: int
    """Standing tries that ended in our own or the driver's failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordRow:
    """What a person says and has not taken back: an override of a verdict, or a note."""

    kind: str
    """``override`` or ``note``."""
    sweep: str | None
    trial: str | None
    try_no: int | None
    host: str | None
    from_t_us: int | None
    to_t_us: int | None
    cause: str | None
    """Of an override: what ended the try, as its author says."""
    counts_as: str | None
    author: str
    text: str
    t_us: int
    counts: bool
    """An override that no later one of another author contradicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCounts:
    """What the store holds, and the span of time it is about."""

    events: int
    samples: int
    sources: int
    streams: int
    dead_letters: int
    unknown_events: int
    unknown_fields: int
    missing_seqs: int
    """Seqs below the highest of their source that no stream had (yet)."""
    first_t_us: int | None
    last_t_us: int | None
