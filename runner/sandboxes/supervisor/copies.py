"""Uploads and downloads of one sandbox, each in a helper process that can take its time.

The supervisor itself must stay awake: a group kill that waited for a slow disk would come
too late to be one. What the helper does, and as whom, is told in ``copying``.
"""

from __future__ import annotations

import os

from runner.sandboxes.supervisor import copying, syscalls, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from runner.sandboxes.supervisor.inside import Inside
    from runner.sandboxes.supervisor.loop import Loop

_ANSWER_BYTES = 4096


class Copies:
    """Starts copies and tells the driver how they ended."""

    def __init__(
        self, loop: Loop, inside: Inside, say: Callable[[wire.Message], None], control: int
    ) -> None:
        """``control`` is the supervisor's own socket, which a helper must not keep open."""
        self._loop, self._inside, self._say = loop, inside, say
        self._control = control
        self._helpers: dict[int, int] = {}

    def run(self, request: wire.Message) -> None:
        """Start a copy.

        Args:
            request: ``number``; ``do``: upload (``source``, ``target``) or download
                (``source``, ``folder``, ``name``, ``max_bytes``).

        """
        number = wire.whole(request, "number")
        hear, tell = os.pipe()
        try:
            pid = self._inside.fork_on_host()
        except OSError as error:
            os.close(hear)
            os.close(tell)
            self._say({"event": "copied", "number": number, "answer": f"failed:{error}"})
            return
        if pid == 0:
            _be(self._inside, request, tell, self._control)
        os.close(tell)
        self._helpers[number] = pid
        self._loop.watch(hear, lambda: self._ended(number, hear))

    def kill(self) -> None:
        """End all copies; the driver hears that they failed."""
        for pid in self._helpers.values():
            os.kill(pid, syscalls.SIGKILL)

    def _ended(self, number: int, hear: int) -> None:
        answer = os.read(hear, _ANSWER_BYTES).decode(errors="replace")
        self._loop.forget(hear)
        os.close(hear)
        os.waitpid(self._helpers.pop(number), 0)
        answer = answer or "failed:the copying process was killed"
        self._say({"event": "copied", "number": number, "answer": answer})


def _be(inside: Inside, request: wire.Message, tell: int, control: int) -> None:
    """Be the helper; never returns."""
    answer = "failed:a bug in the copying process"
    try:
        os.close(control)
        source = wire.text(request, "source")
        if wire.text(request, "do") == "upload":
            answer = copying.upload(inside, source, wire.text(request, "target"))
        else:
            folder, name = wire.text(request, "folder"), wire.text(request, "name")
            most = wire.whole(request, "max_bytes")
            answer = copying.download(inside, source, folder, name, most)
    except BaseException as error:  # noqa: BLE001 - a forked child must end here whatever happens
        answer = f"failed:{type(error).__name__}: {error}"
    finally:
        os.write(tell, answer.encode(errors="replace")[:_ANSWER_BYTES])
        os._exit(0)
