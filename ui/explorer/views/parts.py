"""Parts that more than one page shows."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from analysis.overriding import sentence
from store.pages.live import HostRow
from ui.explorer import frame
from ui.explorer.data import data
from ui.text import ago


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A host as its line in a table."""

    host: str
    load: float | None
    """A core."""
    busy: float | None
    memory: float | None
    pressure: float | None
    heard: str


def host_line(row: HostRow, now_us: int) -> Host:
    """Shares of what the host has."""
    total, free = row.memory_total_bytes, row.memory_available_bytes
    return Host(
        host=frame.cut(row.host, 40),
        load=None if row.load1 is None or not row.cores else round(row.load1 / row.cores, 1),
        busy=_share(row.busy_cores, row.cores),
        memory=None if not total or free is None else 1 - free / total,
        pressure=row.psi_memory_highest,
        heard=ago(now_us, row.t_us),
    )


def _share(part: float | None, whole: int | None) -> float | None:
    """Held to 1: a busy second may be counted a little longer than it was."""
    return None if part is None or not whole else min(1.0, part / whole)


def hosts(rows: Sequence[HostRow], now_us: int) -> None:
    """The hosts that were heard of within the last minute."""
    st.markdown("**Hosts**")
    if not rows:
        st.caption("No collector has told of a host within the last minute.")
        return
    share = partial(st.column_config.ProgressColumn, format="percent", width=84)
    frame.table(
        [host_line(row, now_us) for row in rows],
        name="hosts",
        key="hosts",
        columns={
            "host": "host",
            "load": st.column_config.NumberColumn("load", help="load average a core", width=48),
            "busy": share("CPU", help="share of all cores that was busy"),
            "memory": share("memory", help="share that is not available"),
            "pressure": share(
                "pressure",
                help="highest share of a second in which something stalled for memory, "
                "within the last minute",
            ),
            "heard": "heard",
        },
    )


def whose(overridden: int) -> None:
    """Whose verdicts the numbers are, where there is a choice, and how to see the others."""
    said = sentence(overridden, counted=False)
    if said is not None:
        st.caption(frame.plain(f"{said} With people's in their place:"))
        folder = shlex.quote(data().options.folder)
        st.code(f"barograph report --dir {folder} --with-overrides", language="sh")
