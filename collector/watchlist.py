"""The watched targets: announced, sampled together at each tick, dismissed.

``finish`` is a handshake. The target is read once more (so that its last part of a second,
with its peak, is a sample too), kills that were counted get a short time for the kernel log
to name their victim, then the end is written and brought to the disk. Only then is the
request answered and may the caller remove the cgroup.

A target whose owner's connection closed is an orphan: it is watched on until nothing has run
in it for two seconds, then it ends by itself. What ended is remembered, so that asking
again gives the same answer.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

from barograph.clock import Clock
from barograph.facts import SandboxDestroyed
from barograph.writer import Said
from collector.behind import Behind
from collector.errors import RequestError, UnknownTargetError
from collector.killwatch import KillWatch
from collector.probes.hierarchies import kernel_path
from collector.protocol import Watch
from collector.rates import EndReason
from collector.recorder import Recorder
from collector.tallies import VICTIM_WAIT_US
from collector.target import Target
from collector.wakeups import Wakeups

_MUTE_US: Final = 50_000
_LOOK_AGAIN_US: Final = 5_000
_STALE_US: Final = 2_000
_MOST_REMEMBERED: Final = 5_000

Answer = dict[str, object]
Reply = Callable[[Answer], None]


@dataclass(slots=True, kw_only=True)
class _Ending:
    """A target that was read for the last time and waits for its victims."""

    target: Target
    reason: EndReason
    deadline_us: int
    replies: list[Reply]


class Watchlist:
    """All targets of one collector."""

    def __init__(self, recorder: Recorder, clock: Clock, wakeups: Wakeups, behind: Behind) -> None:
        """Begin with none.

        Args:
            recorder: where facts go.
            clock: of this process.
            wakeups: where the kernel's notifications are waited for.
            behind: who waits for the disk.

        """
        self.targets: dict[str, Target] = {}
        self.kills = KillWatch(clock, self.targets, past_is_known=False)
        self._recorder = recorder
        self._clock = clock
        self._wakeups = wakeups
        self._behind = behind
        self._endings: dict[str, _Ending] = {}
        self._ended: dict[str, SandboxDestroyed] = {}
        self._muted: dict[str, int] = {}
        self._over: list[Target] = []

    def watch(self, request: Watch, owner: int | None) -> None:
        """Begin with a target, or take over one that is watched already.

        Raises:
            TargetGone: it does not exist.
            ProbeRefusal: it cannot be read.
            RequestError: another target of that name is watched.

        """
        known = self.targets.get(request.target)
        if known is not None:
            if known.watch.cgroups != request.cgroups or known.watch.pid != request.pid:
                raise RequestError(
                    "another cgroup is watched by this name", field="target", value=request.target
                )
            known.owner, known.is_orphan = owner, False
            return
        path = request.kernel_path or kernel_path(request.cgroups)
        target = Target(request, self._clock, kernel_path=path)
        target.owner = owner
        self._ended.pop(request.target, None)
        self.targets[target.name] = target
        self._recorder.say_gaps(target.probe.gaps)
        self.kills.open(target)
        self._listen(target)
        self.flush()

    def finish(self, name: str, reason: EndReason, reply: Reply) -> None:
        """End with a target; ``reply`` is called when that is on the disk.

        Raises:
            UnknownTargetError: not watched, and not ended here before.

        """
        ending = self._endings.get(name)
        if ending is not None:
            ending.replies.append(reply)
            return
        ended = self._ended.get(name)
        if ended is not None:
            self._answer_when_on_disk(ended, [reply])
            return
        target = self.targets.get(name)
        if target is None:
            raise UnknownTargetError("this target is not watched", field="target", value=name)
        self._begin_ending(target, reason, [reply])

    def orphan(self, owner: int) -> None:
        """The connection ``owner`` closed."""
        for target in self.targets.values():
            if target.owner == owner:
                target.owner, target.is_orphan = None, True

    def tick(self) -> list[Said]:
        """Sample every target; those that ended by themselves end with the next ``flush``."""
        said: list[Said] = []
        for target in list(self.targets.values()):
            if target.name in self._endings:
                continue
            sample = target.sample()
            if sample is not None:
                said.append(sample)
                self.kills.sampled(target)
            elif target.trouble is not None:
                self._recorder.say_gaps([target.trouble])
            somebody = self.kills.scan(target)
            self._recorder.say_gaps(target.probe.gaps)
            if target.is_gone:
                self._unlisten(target)
            is_empty = not somebody and not target.last.pids
            if target.has_ended(self._clock.mono_us(), is_empty=is_empty):
                self._over.append(target)
        return said

    def flush(self) -> None:
        """Write what is known about kills now, and end what has waited long enough."""
        self._recorder.record(self.kills.take())
        while self._over:
            target = self._over.pop()
            self._begin_ending(target, "owner_gone" if target.is_orphan else "finished", [])
        now_us = self._clock.mono_us()
        for ending in list(self._endings.values()):
            if self.kills.is_settled(ending.target, ending.deadline_us):
                self._end(ending)
        for name, until_us in list(self._muted.items()):
            if now_us >= until_us:
                del self._muted[name]
                if name in self.targets and not self.targets[name].is_gone:
                    self._listen(self.targets[name])

    def deadline_us(self) -> int | None:
        """When ``flush`` has something to do next."""
        # One that waits beyond its deadline (for the past) is looked at now and then.
        soon_us = self._clock.mono_us() + _LOOK_AGAIN_US
        times = [max(ending.deadline_us, soon_us) for ending in self._endings.values()]
        return min([*times, *self._muted.values()], default=None)

    def close(self) -> None:
        """Write what is outstanding; standing targets are not ended, only let go."""
        for ending in list(self._endings.values()):
            self._end(ending)
        for target in self.targets.values():
            sample = target.sample()
            if sample is not None:
                self.kills.sampled(target)
                self._recorder.record([sample])
            self._recorder.record(self.kills.take(hurry=True))
            self._unlisten(target)
            target.probe.close()
        self.targets.clear()

    def _read_once_more(self, target: Target) -> None:
        sample = target.sample()
        if sample is not None:
            self._recorder.record([sample])
            self.kills.sampled(target)
            self.kills.log_stirred()

    def _begin_ending(self, target: Target, reason: EndReason, replies: list[Reply]) -> None:
        self.kills.log_stirred()
        self._read_once_more(target)
        self._unlisten(target)
        deadline_us = self._clock.mono_us() + VICTIM_WAIT_US
        self._endings[target.name] = _Ending(
            target=target, reason=reason, deadline_us=deadline_us, replies=replies
        )
        self.flush()

    def _end(self, ending: _Ending) -> None:
        target = ending.target
        if self._clock.mono_us() - target.read_us > _STALE_US:
            self._read_once_more(target)  # it waited: more may have happened
        del self._endings[target.name]
        del self.targets[target.name]
        self.kills.close(target)
        final = target.final(ending.reason)
        target.probe.close()
        self._ended[target.name] = final
        while len(self._ended) > _MOST_REMEMBERED:
            del self._ended[next(iter(self._ended))]
        facts = [*self.kills.take(), Said(final, target.belongs)]
        self._recorder.record(facts)
        self._answer_when_on_disk(final, ending.replies)

    def _answer_when_on_disk(self, final: SandboxDestroyed, replies: list[Reply]) -> None:
        if self._recorder.outstanding:
            _answer(replies, _unwritten(self._recorder))
        else:
            self._behind.submit(lambda: self._synced(final, replies))

    def _synced(self, final: SandboxDestroyed, replies: list[Reply]) -> Callable[[], None]:
        """In the thread: wait for the disk, then answer in the loop."""
        error = self._recorder.sync()
        answer: Answer = _final_answer(final)
        if error is not None:
            answer = {"ok": False, "error": str(error), "kind": "failed"}
        return lambda: _answer(replies, answer)

    def _listen(self, target: Target) -> None:
        fd = target.probe.wake_fd
        if fd is not None:
            self._wakeups.add(fd, target.probe.wake_mask, lambda _: self._notified(target))

    def _unlisten(self, target: Target) -> None:
        fd = target.probe.wake_fd
        if fd is not None:
            self._wakeups.remove(fd)
        self._muted.pop(target.name, None)

    def _notified(self, target: Target) -> None:
        is_oom = self.kills.notified(target)
        if target.is_gone:
            self._unlisten(target)
        elif not is_oom:
            # A v2 target at its ceiling stirs a hundred times a second: look less often. What
            # happens meanwhile stays pending.
            self._unlisten(target)
            self._muted[target.name] = self._clock.mono_us() + _MUTE_US


def _answer(replies: list[Reply], answer: Answer) -> None:
    for reply in replies:
        reply(answer)


def _final_answer(final: SandboxDestroyed) -> Answer:
    return {"ok": True, "final": {k: v for k, v in asdict(final).items() if k != "extra"}}


def _unwritten(recorder: Recorder) -> Answer:
    return {
        "ok": False,
        "error": f"the end could not be written yet: {recorder.last_error}",
        "kind": "failed",
    }
