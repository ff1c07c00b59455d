"""Where the log is shared: what is in the journal here counts when the shared log has it.

The tables are a fold of the shared log alone, so that they are the same on every machine. Whoever
wants what was just written here waits for the shipper, and hears why when that does not come.
"""

from collections.abc import Callable
from typing import Final

from barograph.folder import DataFolder
from barograph.log.port import LogError
from barograph.shipping.keeping import wait_until_shipped
from barograph.units import format_bytes

WITHIN_S: Final = 20.0


def wait_for_shared_log(folder: DataFolder, meanwhile: Callable[[], None]) -> None:
    """Wait until the shared log has what is in the journal now; at once where there is none.

    Args:
        folder: whose journal.
        meanwhile: called several times a second.

    Raises:
        LogError: it does not get it.

    """
    left = wait_until_shipped(folder, within_s=WITHIN_S, meanwhile=lambda _: meanwhile())
    if left is not None:
        why = f" ({left.error})" if left.error else ""
        raise LogError(
            f"{format_bytes(left.waiting_bytes)} of the journal are not acknowledged yet{why}",
            where=left.log,
            remedy="nothing is lost; they are shipped when a broker answers",
        )
