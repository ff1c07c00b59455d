"""How far a shared log has what a journal has."""

from rich.console import Group, RenderableType
from rich.text import Text

from barograph.clock import US_PER_S
from barograph.folder import DataFolder
from barograph.shipping.keeping import Shipping
from barograph.shipping.process import Told
from barograph.units import format_bytes, format_duration
from ui import tables
from ui.palette import DIM


def content(folder: DataFolder, left: Told) -> dict[str, object]:
    """What ``ship`` answers, for programs."""
    return {
        "dir": str(folder.root),
        "log": folder.shared_log_url,
        "waiting_bytes": left.waiting_bytes,
        "error": left.error,
    }


def render(folder: DataFolder, left: Told) -> RenderableType:
    """The same for people."""
    log = folder.shared_log_url
    if not left.waiting_bytes:
        return tables.answer(f"{log} has acknowledged everything in the journal.")
    said = tables.answer(f"{format_bytes(left.waiting_bytes)} of the journal wait for {log}.")
    return Group(said, Text(left.error or "it was ended before", style=DIM))


def line(shipping: Shipping, now_us: int) -> str:
    """One line for ``status``."""
    said = [shipping.log]
    if shipping.waiting_bytes:
        said.append(f"{format_bytes(shipping.waiting_bytes)} of the journal not acknowledged")
        if shipping.complete_t_us is not None:
            behind_s = max(0.0, (now_us - shipping.complete_t_us) / US_PER_S)
            said.append(f"behind for {format_duration(behind_s)}")
        if shipping.pid is None:
            said.append("no shipper is alive")
    else:
        said.append("has everything")
    if shipping.error:
        said.append(shipping.error)
    return "; ".join(said)
