"""What all tries of one campaign have in common."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from barograph.clock import Clock
from barograph.facts import Phase
from barograph.folder import DataFolder
from barograph.writer import Writer
from runner.redact import Redactor
from runner.sandboxes.port import Driver
from runner.sweeps import Sweep
from runner.watching import Observer


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Handed to every try; nothing in it belongs to one of them."""

    sweep: Sweep
    sweep_id: str
    folder: DataFolder
    driver: Driver
    observer: Observer
    writer: Writer
    clock: Clock
    redactor: Redactor
    host: str
    """Name of this machine."""
    host_environment: Mapping[str, str]
    """From which an agent is given what its table in the sweep file names."""
    on_phase: Callable[[str, Phase], None]
    """Told, with the trial's id, when a try enters a phase."""
