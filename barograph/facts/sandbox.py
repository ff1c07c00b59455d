"""The sandbox: what ceiling was asked for, what was really applied, how it ended."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from barograph.facts.base import Fact

OomScope = Literal["sandbox", "process"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxCreated(Fact):
    """A sandbox stands; *applied* values were read back from the cgroup, never assumed."""

    type: ClassVar[str] = "sandbox.created"

    driver: str
    node: str
    oom_scope: OomScope
    oom_scope_enforced_by: Literal["kernel", "supervisor", "nobody"]
    """kernel: memory.oom.group; supervisor: emulated where the kernel cannot (cgroup v1)."""
    kernel: str
    cgroup_version: Literal[1, 2] | None = None
    cgroup_path: str | None = None
    """Relative to the hierarchy's root, as the kernel log prints it."""
    image: str | None = None
    image_digest: str | None = None
    asked_memory_floor_bytes: int | None = None
    asked_memory_ceiling_bytes: int | None = None
    """Null: uncapped, that is held by ``parent_cap_bytes`` only."""
    applied_memory_floor_bytes: int | None = None
    applied_memory_ceiling_bytes: int | None = None
    asked_cpu_floor_cores: float | None = None
    asked_cpu_ceiling_cores: float | None = None
    applied_cpu_floor_cores: float | None = None
    applied_cpu_ceiling_cores: float | None = None
    parent_cap_bytes: int | None = None
    """The cap that all sandboxes of the campaign share, which saves the host."""
    pids_limit: int | None = None
    network: str | None = None
    qos_class: str | None = None
    cpu_model: str | None = None
    flags: list[str] | None = None
    """What this sandbox cannot hold or measure, e.g. ``storage_not_enforced``, ``polling``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxState(Fact):
    """A transition of the sandbox, as its driver reports it."""

    type: ClassVar[str] = "sandbox.state"

    state: str
    """running, group_killed, died, killed, stopped ..."""
    reason: str | None = None
    message: str | None = None
    exit_code: int | None = None
    restart_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxDestroyed(Fact):
    """The final counters, read before the cgroup went."""

    type: ClassVar[str] = "sandbox.destroyed"

    read_by: Literal["collector", "runner"]
    """runner: the collector was gone, so the same probe was read in its place."""
    reason: Literal["finished", "owner_gone", "left_over"]
    peak_bytes: int | None = None
    oom_kill_total: int | None = None
    oom_group_kill_total: int | None = None
    oom_total: int | None = None
    limit_hits_total: int | None = None
    cpu_usage_us: int | None = None
    cpu_periods: int | None = None
    cpu_throttled_periods: int | None = None
    cpu_throttled_us: int | None = None
    psi_memory_some_us: int | None = None
    psi_memory_full_us: int | None = None
    samples: int | None = None
    """Samples written for the target by this reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OomKill(Fact):
    """One kill by the kernel's OOM killer; (trial, try, target, ordinal) is its identity.

    Several observers may report the same kill (a restarted collector reads the same
    counter again): the store keeps one row, the best described.
    """

    type: ClassVar[str] = "oom.kill"

    ordinal: int
    """1 for the first kill that the target's counter shows."""
    counter_before: int
    counter_after: int
    read_before_t_us: int | None = None
    read_after_t_us: int | None = None
    """Wall times of the two counter reads between which the kill happened."""
    victim_pid: int | None = None
    """In the host's PID namespace."""
    victim_session_pid: int | None = None
    """Session id of the victim, which is the pid of the command it belongs to."""
    victim_comm: str | None = None
    victim_rss_bytes: int | None = None
    victim_anon_bytes: int | None = None
    killed_t_us: int | None = None
    """When, by the kernel log's own stamp."""
    constraint: str | None = None
    oom_cgroup: str | None = None
    """The cgroup whose ceiling was hit: the target's own, or a parent's cap."""
    task_cgroup: str | None = None
    victim_from: Literal["kernel_log", "kernel_log_and_pid_map"] | None = None
    limit_bytes: int | None = None
