"""What is kept of a command's output: its head and its tail, and the count of all bytes.

A hostile or careless command can write for as long as it may run. What it writes is read
all the same (a command that blocks on a full pipe would be another experiment), but only
a bounded head and tail stay in memory, nothing goes to disk, and beyond a first amount
the pipe is emptied at a bounded rate, so that a flood costs the flooder its time and not
its neighbours the host's.
"""

FREE_BYTES = 32 << 20
"""Read from one stream at full speed; far above what an honest command prints."""
READ_BYTES = 1 << 16
"""One read: the capacity of a pipe."""
PAUSE_S = 0.002
"""Between two reads of a stream beyond ``FREE_BYTES``: at most 32 MB/s."""


class Capture:
    """One stream of one command."""

    def __init__(self, keep_bytes: int) -> None:
        """Keep at most ``keep_bytes``, half from the beginning and half from the end."""
        self.total = 0
        self._room = keep_bytes - keep_bytes // 2
        self._head = bytearray()
        self._tail_bytes = keep_bytes // 2
        self._tail: list[bytes] = []
        self._in_tail = 0

    @property
    def flooding(self) -> bool:
        """Whether so much came that reading should slow down."""
        return self.total > FREE_BYTES

    def feed(self, data: bytes) -> None:
        """Take in what was read."""
        self.total += len(data)
        room = self._room - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if not data:
            return
        self._tail.append(data)
        self._in_tail += len(data)
        # Whole chunks in front that the end would be long enough without.
        while self._tail and self._in_tail - len(self._tail[0]) >= self._tail_bytes:
            self._in_tail -= len(self._tail.pop(0))

    def kept(self) -> bytes:
        """Head and tail; where something is missing between, a line says how much."""
        tail = b"".join(self._tail)
        tail = tail[len(tail) - self._tail_bytes :] if len(tail) > self._tail_bytes else tail
        left_out = self.total - len(self._head) - len(tail)
        if left_out <= 0:
            return bytes(self._head) + tail
        return bytes(self._head) + b"\n[... %d bytes left out ...]\n" % left_out + tail
