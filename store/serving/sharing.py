"""Where the log is shared: what is in the journal here counts when the shared log has it.

The tables are a fold of the shared log alone, so that they are the same on every machine. Whoever
wants what was just written here waits for the shipper, and hears why when that does not come.
"""

import time
from collections.abc import Callable
from typing import Final

from barograph.folder import DataFolder
from barograph.log.port import LogError
from barograph.shipping.keeping import shipping_of, wait_until_shipped
from barograph.units import format_bytes

WITHIN_S: Final = 20.0
_MEANWHILE_S: Final = 0.25
_PATIENCE_S: Final = 3.0


def wait_for_shared_log(folder: DataFolder, meanwhile: Callable[[], None]) -> None:
    """Wait until the shared log has what is in the journal now; at once where there is none.

    Args:
        folder: whose journal.
        meanwhile: called several times a second.

    Raises:
        LogError: it does not get it.

    """
    url = folder.shared_log_url
    if url is None:
        return
    began_s = time.monotonic()
    while not wait_until_shipped(folder, within_s=_MEANWHILE_S):
        waited_s = time.monotonic() - began_s
        found = shipping_of(folder)
        # An error may be one of an earlier shipper, until this one had time to say better.
        stuck = found is not None and found.error is not None and waited_s > _PATIENCE_S
        if found is not None and (stuck or waited_s > WITHIN_S):
            why = f" ({found.error})" if found.error else ""
            raise LogError(
                f"{format_bytes(found.waiting_bytes)} of the journal are not acknowledged yet{why}",
                where=url,
                remedy="nothing is lost; they are shipped when a broker answers",
            )
        meanwhile()
