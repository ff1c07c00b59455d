"""What a sandbox driver can enforce, as data, so that a plan is refused before it starts.

"Enforce" means that the kernel (or a supervisor of ours) holds it against a task that
tries to get around it; a limit that is only noticed afterwards does not count. A driver
that can do something only on some machines says what is true of this one.
"""

from dataclasses import dataclass
from typing import Literal

from barograph.facts import OomScope


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """One driver on one machine."""

    memory_ceiling: bool
    memory_floor: Literal["guaranteed", "best_effort", "none"]
    """guaranteed: never reclaimed below it (v2 ``memory.min``); best_effort: reclaimed last
    (v1 ``memory.soft_limit_in_bytes``)."""
    cpu_ceiling: bool
    cpu_floor: Literal["guaranteed", "best_effort", "none"]
    """best_effort: a weight under contention."""
    pids_limit: bool
    no_network: bool
    oom_scopes: frozenset[OomScope]
    oom_scope_enforced_by: Literal["kernel", "supervisor", "nobody"]
    """Who holds scope ``sandbox``; scope ``process`` is what the kernel does by itself."""
    images: bool
    """Whether a task's image or Dockerfile can be used; else the machine's own files are."""
    storage_limit: bool
    parent_cap: bool
    """Whether all sandboxes together can be held below one memory cap."""
    flags: tuple[str, ...] = ()
    """What results of this driver must say beside every number, e.g. ``polling``."""
