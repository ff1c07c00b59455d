"""What the store knows about one trial and one host: the rows behind ``why TRIAL``.

``Story`` holds everything about all tries of a trial; who tells it in sentences needs no
further query. Lists are in order of time.
"""

from dataclasses import dataclass, field

from store.rows import TrialRow, TryRow, WordRow


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunRow:
    """How a try began (every begun try has one)."""

    try_no: int
    target: str | None
    host: str
    started_t_us: int
    seed: int | None
    spec_memory_bytes: int | None
    spec_cpu_cores: float | None
    spec_from: str | None
    memory_floor_multiple: float | None
    memory_ceiling_multiple: float | None
    task_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRow:
    """How a try ended, in the runner's raw words; absent while it runs."""

    try_no: int
    t_us: int
    how: str
    duration_s: float
    rewards: str | None
    """JSON object."""
    verifier_ran: bool | None
    verifier_exit: int | None
    verifier_error: str | None
    timed_out_phase: str | None
    sandbox_exit: int | None
    agent_exit: int | None
    exceptions: str | None
    """JSON list of {type, message, phase}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRow:
    """One phase of a try."""

    try_no: int
    phase: str
    started_t_us: int | None
    limit_s: float | None
    finished_t_us: int | None
    """None: the phase did not end, or its end was not told."""
    how: str | None
    duration_s: float | None
    message: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecRow:
    """One command that ran in the sandbox."""

    try_no: int
    phase: str
    ordinal: int
    command: str
    command_truncated: bool
    command_digest: str
    started_t_us: int
    duration_s: float
    how: str
    exit_code: int | None
    signal: int | None
    output_bytes: int | None
    pid: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KillRow:
    """One OOM kill, best description of all observers, joined to its command."""

    try_no: int | None
    target: str | None
    ordinal: int
    t_us: int
    """By the kernel log's stamp, else when the counter was read."""
    exact_time: bool
    """``t_us`` is the kernel's own; else between ``read_before_t_us`` and ``read_after_t_us``."""
    read_before_t_us: int | None
    read_after_t_us: int | None
    victim_pid: int | None
    victim_comm: str | None
    victim_rss_bytes: int | None
    victim_anon_bytes: int | None
    limit_bytes: int | None
    constraint: str | None
    oom_cgroup: str | None
    by_parent: bool | None
    """The ceiling that was hit was a parent's or the host's, not the sandbox's own."""
    victim_from: str | None
    phase: str | None
    exec_ordinal: int | None
    command: str | None
    joined_by: str | None
    """session: the victim's session is the command's; time: it ran at that moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxRow:
    """The sandbox of a try: what was asked, what was applied."""

    try_no: int | None
    target: str | None
    created_t_us: int
    driver: str
    node: str
    oom_scope: str
    oom_scope_enforced_by: str
    kernel: str
    cgroup_version: int | None
    cgroup_path: str | None
    asked_memory_floor_bytes: int | None
    asked_memory_ceiling_bytes: int | None
    applied_memory_floor_bytes: int | None
    applied_memory_ceiling_bytes: int | None
    asked_cpu_floor_cores: float | None
    asked_cpu_ceiling_cores: float | None
    applied_cpu_floor_cores: float | None
    applied_cpu_ceiling_cores: float | None
    parent_cap_bytes: int | None
    pids_limit: int | None
    network: str | None
    cpu_model: str | None
    flags: list[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRow:
    """A transition of the sandbox."""

    try_no: int | None
    target: str | None
    t_us: int
    state: str
    reason: str | None
    message: str | None
    exit_code: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxEndRow:
    """Final counters, the collector's where there are several."""

    try_no: int | None
    target: str | None
    t_us: int
    read_by: str
    reason: str
    peak_bytes: int | None
    oom_kill_total: int | None
    oom_group_kill_total: int | None
    oom_total: int | None
    limit_hits_total: int | None
    cpu_usage_us: int | None
    cpu_periods: int | None
    cpu_throttled_periods: int | None
    cpu_throttled_us: int | None
    psi_memory_some_us: int | None
    psi_memory_full_us: int | None
    samples: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRow:
    """The samples of one try in short."""

    try_no: int | None
    target: str | None
    samples: int
    first_t_us: int
    last_t_us: int
    peak_bytes: int | None
    peak_t_us: int | None
    """Read time of the sample with the highest peak."""
    peak_kind: int | None
    """The worst ``barograph.metrics.PeakKind`` of all samples: 0 is the best."""
    last_usage_bytes: int | None
    last_anon_bytes: int | None
    limit_bytes: int | None
    """The last ceiling seen in force."""
    cpu_usage_us: int | None
    cpu_throttled_us: int | None
    psi_memory_full_us: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Everything about one trial."""

    trial: TrialRow
    outcomes: list[TryRow]
    """Ended tries with evidence; the one with ``outcome`` is the trial's."""
    begun: list[BegunRow]
    ends: list[EndRow]
    phases: list[PhaseRow]
    execs: list[ExecRow]
    kills: list[KillRow]
    sandboxes: list[SandboxRow]
    states: list[StateRow]
    sandbox_ends: list[SandboxEndRow]
    usage: list[UsageRow]
    words: list[WordRow] = field(default_factory=list[WordRow])
    """What people say of the trial, or of its host or its time while it ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleBucket:
    """Samples of one try in one slice of time; a peak is never averaged away."""

    t_us: int
    """Time of the last sample in the slice."""
    samples: int
    usage_min_bytes: int | None
    usage_mean_bytes: float | None
    usage_max_bytes: int | None
    peak_bytes: int | None
    limit_bytes: int | None
    cpu_usage_us: int | None
    cpu_throttled_us: int | None
    psi_memory_full_us: int | None
    oom_kills: int | None
    pids: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostKills:
    """The audit of one host: the kernel's own count of OOM kills against ours."""

    host: str
    incarnations: int
    """Collector processes that sampled the host."""
    first_t_us: int
    last_t_us: int
    """Window: from the first to the last host sample with a counter."""
    counted: int
    """Kills by ``/proc/vmstat`` within the window (reboots allowed for)."""
    attributed: int
    """Our targets' kills within the window."""
    foreign: int
    """Kills elsewhere on the host that the kernel log told of (``host.oom_kill``)."""
    unclaimed: int
    """``counted - attributed - foreign``: kills that nobody explains; 0 is right."""
    outside: int
    """Our targets' kills before or after the window, which cannot be audited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KillTotal:
    """The audit of one try's sandbox: its own counter of OOM kills against ours."""

    trial: str
    try_no: int
    target: str | None
    counted: int | None
    """By the sandbox's final counters; None: it has not ended, or they were not read."""
    told: int
    """Kills with an event."""
    read_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterRow:
    """A piece of the log that is no event."""

    stream: str
    offset: int
    part: int
    """Bytes into the line (or record) at ``offset``; 0 for a whole line."""
    reason: str
    size_bytes: int
    raw: bytes
    source: str | None
    seq: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GapRow:
    """Seqs of a source that no stream had (yet)."""

    source: str
    first: int
    last: int
    explained_by: str | None
    """thinned: given up on purpose; refused: no broker took it; pruned: removed on purpose;
    left_out: not of the sweep that was copied; dead_letter: unreadable; None: lost or late."""
