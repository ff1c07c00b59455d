"""Pipeline: can I trust what I see?

One fragment, as on Live. What the store knows has a history over the sweep; how far the
tables are behind the log is known only of the moments at which somebody looked, so that
history begins when the page is opened, and says so.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import streamlit as st

from barograph.errors import BarographError
from barograph.folder import DataFolder
from barograph.shipping.keeping import Shipping, shipping_of
from barograph.units import format_bytes, format_duration
from store.errors import StoreError
from store.pages import pipeline as asking
from store.pages.pipeline import Pipeline, ShipperRow
from store.story import HostKills
from ui.explorer import frame, theme
from ui.explorer.address import View
from ui.explorer.charts.pipeline import pipeline_chart
from ui.explorer.data import cached, data, sweeps
from ui.explorer.once import once
from ui.explorer.trust import Gaps, Trust, trust
from ui.text import UNKNOWN, mebibytes, moment

_EVERY_S: Final = 3.0
_READINGS: Final = 120
_pipeline = cached(asking.pipeline)
_COMPUTED: Final = """
- **Missing**: each writer counts its events without a gap, so a number that no file holds is an
  event that is lost or late. A gap is explained where samples were given up on purpose or where
  the line is there but cannot be read. What was never written cannot be seen to be missing.
- **Ticks**: the collector looks once a second; a tick that it could not serve in time is recorded.
- **Cost**: the collector's own CPU time and memory, told by itself every ten seconds.
- **Audit of kills**: the kernel counts every OOM kill of the host; each must be one that we told
  of, or one elsewhere on the host that the kernel's log told of.
- **Journals on their way**: each machine's shipper tells every ten seconds what the shared log has
  acknowledged. What waits while no broker answers is known only on that machine.
- **Lag**: the age of the oldest event that may be in the log and not yet in the tables, by the
  store's server.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Served:
    """What the server says of itself; all unknown when it does not answer."""

    lag_s: float | None
    events_per_s: float | None
    last_error: str | None
    shipping: Shipping | None


def render() -> None:
    """Draw the page."""
    frame.problems(View.current(sweeps()))
    st.fragment(_draw, run_every=_EVERY_S)()


def _draw() -> None:
    with frame.guarded("The pipeline", again=False):
        found = _pipeline()
        served = _served()
        said = trust(
            found, lag_s=served.lag_s, load_error=served.last_error, shipping=served.shipping
        )
        _top(said)
        if not found.now.sources:
            frame.empty("Nothing has been written to this data folder's log.", "barograph demo")
            return
        _numbers(found, served)
        _history(found)
        _details(found)
        frame.computed(_COMPUTED)


def _served() -> _Served:
    try:
        shipping = shipping_of(DataFolder.existing(data().options.folder))
    except BarographError:
        shipping = None  # it is said by whoever ships
    try:
        status = data().status()
    except StoreError as error:
        return _Served(lag_s=None, events_per_s=None, last_error=str(error), shipping=shipping)
    return _Served(
        lag_s=status.lag_s,
        events_per_s=status.events_per_s,
        last_error=status.last_error,
        shipping=shipping,
    )


def _top(said: Trust) -> None:
    frame.answer(said.sentence, more=[f"– {doubt}" for doubt in said.doubts], notes=said.remarks)


def _numbers(found: Pipeline, served: _Served) -> None:
    now, gaps = found.now, Gaps.of(found.gaps)
    ticks = now.served_ticks + now.missed_ticks
    cpu = now.self_cpu_us / now.self_interval_us if now.self_interval_us else None
    written = 1e6 * now.self_events / now.self_interval_us if now.self_interval_us else None
    late = now.self_lateness_us
    unclaimed = sum(max(0, host.unclaimed) for host in found.hosts)
    numbers = [
        ("Lag", format_duration(served.lag_s), "tables behind the log, now"),
        (
            "Missing events",
            f"{gaps.lost:,}",
            f"lost; {gaps.explained:,} explained",
        ),
        ("Unreadable", f"{now.dead_letters:,}", "pieces of the log"),
        ("Missed ticks", f"{now.missed_ticks:,}", f"of {ticks:,}"),
        ("Samples given up", f"{now.dropped_samples + gaps.thinned:,}", "on purpose"),
        ("Kills unnamed", f"{unclaimed:,}" if found.hosts else UNKNOWN, _of_kills(found)),
        ("Clock steps", f"{now.clock_steps:,}", "of a wall clock"),
        ("Collector CPU", UNKNOWN if cpu is None else f"{cpu:.1%}", "of one core, mean"),
        ("Collector memory", mebibytes(now.self_rss_bytes), "MiB, highest"),
        ("Tick lateness", UNKNOWN if late is None else f"{late / 1000:.1f} ms", "the worst"),
        ("Written", UNKNOWN if written is None else f"{written:,.0f}/s", "events by collectors"),
        ("Loaded", _per_second(served.events_per_s), "events, last ten seconds"),
    ]
    for row in (numbers[:6], numbers[6:]):
        for column, (label, value, says) in zip(st.columns(6), row, strict=True):
            with column, st.container(gap=None):
                st.metric(label, value)
                st.caption(says)
    _lag(served.lag_s)


def _per_second(rate: float | None) -> str:
    return UNKNOWN if rate is None else f"{rate:,.0f}/s"


def _of_kills(found: Pipeline) -> str:
    if not found.hosts:
        return "no host told of its count"
    return f"of {sum(host.counted for host in found.hosts):,} counted by the kernel"


def _lag(lag_s: float | None) -> None:
    """Readings of this viewer since the page was opened."""
    kept = st.session_state.setdefault("pipeline-lag", deque[float](maxlen=_READINGS))
    readings = cast("deque[float]", kept)
    if lag_s is not None:
        readings.append(lag_s)
    if readings:
        worst = format_duration(max(readings))
        st.caption(f"Lag since this page was opened: {worst} at most in {len(readings)} readings.")


def _history(found: Pipeline) -> None:
    st.markdown("**Its history**")
    if not found.collector and not found.kills:
        st.info("No collector has told of itself yet; each does every ten seconds.")
        return
    look = theme.current()
    frame.figure(
        once(look, pipeline_chart, found, look),
        found.collector or found.kills,
        name="pipeline",
        key="pipeline",
        caption=f"{moment(found.from_us)} to {moment(found.to_us)}",
        says="What collectors wrote, cost and missed, and the audit of kills, over time",
    )


def _details(found: Pipeline) -> None:
    _part("The audit of kills, host by host", [_audit(row) for row in found.hosts], "hosts")
    shippers = [_shipper(row) for row in found.shippers]
    _part("Journals on their way to the shared log", shippers, "shippers")
    _part("Gaps, by what explains them", found.gaps[:1000], "gaps", of=len(found.gaps))
    _part("Pieces of the log that are no events", found.letters, "letters")
    _part("Probes that cannot work here", found.probes, "probes")


def _audit(row: HostKills) -> dict[str, object]:
    """A host's kills in the words of a table."""
    return {
        "host": frame.cut(row.host, 40),
        "watched from": moment(row.first_t_us),
        "to": moment(row.last_t_us),
        "counted by the kernel": row.counted,
        "ours": row.attributed,
        "others'": row.foreign,
        "nobody's": row.unclaimed,
        "told outside": row.outside,
    }


def _shipper(row: ShipperRow) -> dict[str, object]:
    """A shipper in the words of a table."""
    lag_s = None if row.worst_lag_us is None else row.worst_lag_us / 1e6
    return {
        "log": frame.cut(row.log, 60),
        "shipper": row.source,
        "last heard of": moment(row.t_us),
        "acknowledged": format_bytes(row.size_bytes),
        "waits": format_bytes(row.waiting_bytes),
        "behind at most": format_duration(lag_s),
        "failures": row.failures,
        "last failure": frame.cut(row.last_error or "", 120),
        "CPU": f"{row.cpu_mean:.1%}",
    }


def _part(words: str, rows: Sequence[object], name: str, *, of: int | None = None) -> None:
    """A table where there is something to list; nothing where not, as the numbers say so."""
    if not rows:
        return
    shown = f" ({len(rows):,} of {of:,})" if of is not None and of > len(rows) else ""
    st.markdown(f"**{words}**{shown}")
    frame.table(rows, name=name, key=f"pipeline-{name}")
