"""What the picture *the weather* asks: what ran when, what became of it, and how the hosts were.

A window with few tries is drawn try by try. One with many is drawn in slices that count how
many ended in each, by cause; the counts add up to all that ended in the window. Kills are
never counted into slices: each is a mark, up to a bound, and beyond that the picture says
how many it does not show. Hosts are means with the highest beside them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from store.answers import Answers
from store.catalogue import query

if TYPE_CHECKING:
    from store.literals import Value

MOST_BARS: Final = 600
"""More tries than that in a window are counted in slices."""
MOST_KILLS: Final = 3000
SLICES: Final = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A window of one sweep."""

    sweep: str
    from_us: int
    to_us: int
    now_us: int
    """Where the bar of a try that runs ends."""

    @property
    def bin_us(self) -> int:
        """Width of a slice, so that there are at most ``SLICES`` of them."""
        return max(1, -(-(self.to_us - self.from_us + 1) // SLICES))


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepSpan:
    """When a sweep ran, and how much of it is in a window."""

    first_t_us: int | None
    last_t_us: int | None
    tries: int
    open: int
    """Begun and not ended."""
    inside: int
    """Tries of which a part is in the window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BarRow:
    """One try."""

    trial: str
    try_no: int
    task: str
    agent: str
    condition: str
    started_t_us: int
    finished_t_us: int | None
    """None: it has not ended."""
    cause: str | None
    """None: it has not ended, or is not judged yet."""
    says: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BinRow:
    """Tries that ended in one slice with one cause."""

    slice: int
    cause: str | None
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KillMark:
    """One kill."""

    trial: str
    try_no: int
    at_us: int
    victim: str | None
    limit_bytes: int | None
    kills: int
    """In the whole window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostBin:
    """A host in one slice: means, and the highest beside them."""

    host: str
    slice: int
    cores: int | None
    samples: int
    load_mean: float | None
    load_highest: float | None
    psi_memory_mean: float | None
    psi_memory_highest: float | None
    memory_mean: float | None
    """Share of the host's memory that is not available."""
    memory_highest: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """All that the picture shows; either ``bars`` or ``bins`` is empty."""

    asked: Asked
    span: SweepSpan
    bars: list[BarRow]
    bins: list[BinRow]
    kills: list[KillMark]
    hosts: list[HostBin]

    @property
    def binned(self) -> bool:
        """Whether tries are counted in slices and not drawn one by one."""
        return self.span.inside > MOST_BARS


def sweep_span(
    answers: Answers,
    sweep: str,
    *,
    now_us: int,
    from_us: int | None = None,
    to_us: int | None = None,
) -> SweepSpan:
    """When the sweep ran; with a window, how many tries are in it (else all are)."""
    values: dict[str, Value] = {
        "sweep": sweep,
        "from_us": from_us,
        "to_us": to_us,
        "now_us": now_us,
    }
    return answers.ask(query("weather_span").fill(values)).to(SweepSpan)[0]


def weather(answers: Answers, asked: Asked) -> Weather:
    """Ask for everything in the window."""
    found = sweep_span(
        answers, asked.sweep, now_us=asked.now_us, from_us=asked.from_us, to_us=asked.to_us
    )
    ends: dict[str, Value] = {"from_us": asked.from_us, "to_us": asked.to_us}
    window: dict[str, Value] = {"sweep": asked.sweep, **ends}
    slices: dict[str, Value] = {**ends, "bin_us": asked.bin_us}
    few = found.inside <= MOST_BARS
    one_by_one: dict[str, Value] = {**window, "now_us": asked.now_us, "most": MOST_BARS}
    counted: dict[str, Value] = {**window, "bin_us": asked.bin_us}
    marks: dict[str, Value] = {**window, "most": MOST_KILLS}
    return Weather(
        asked=asked,
        span=found,
        bars=answers.ask(query("weather_bars").fill(one_by_one)).to(BarRow) if few else [],
        bins=[] if few else answers.ask(query("weather_bins").fill(counted)).to(BinRow),
        kills=answers.ask(query("weather_kills").fill(marks)).to(KillMark),
        hosts=answers.ask(query("weather_hosts").fill(slices)).to(HostBin),
    )
