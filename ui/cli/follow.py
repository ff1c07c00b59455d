"""Read what is new in a journal, again and again: how a command sees others' facts live.

The journal is read like any reader does, from a position; nobody is asked to send
anything, so a view that is slow or dies disturbs neither collector nor campaign.
"""

from barograph.codec import CodecError, decode
from barograph.envelope import Event
from barograph.folder import DataFolder
from barograph.log.opening import open_log


class Follower:
    """Gives each event once, in the order of its writer."""

    def __init__(self, folder: DataFolder, *, from_now: bool = False) -> None:
        """Begin at the journal's beginning, or behind what is there now."""
        self._log = open_log(folder.log_url)
        self._position: dict[str, int] = {}
        if from_now:
            for chunk in self._log.read(self._position):
                self._position[chunk.stream] = chunk.end

    def new(self) -> list[Event]:
        """What was written since the last call; lines that are no events are left to the store."""
        events: list[Event] = []
        for chunk in self._log.read(self._position):
            self._position[chunk.stream] = chunk.end
            for line in chunk.data.splitlines():
                try:
                    events.append(decode(line))
                except CodecError:
                    continue
        return events
