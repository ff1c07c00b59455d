"""Every fact that can be told, as one closed union of frozen payload types.

A reader matches on the payload and ends in ``assert_never``; a type that is added here
makes the type checker name every reader that forgot it. ``FACTS`` maps the wire name to
the class. Types that a later version adds reach an older reader as ``Unknown``.
"""

from typing import Final

from barograph.facts.base import Fact, Phase
from barograph.facts.people import PEOPLES_TYPES, NoteAdded, VerdictOverridden
from barograph.facts.retention import EventsLeftOut, LogPruned
from barograph.facts.sandbox import (
    OomKill,
    OomScope,
    SandboxCreated,
    SandboxDestroyed,
    SandboxState,
)
from barograph.facts.shipping import EventsRefused, ShipperSelf
from barograph.facts.sweep import SweepFinished, SweepPlanned, SweepStarted
from barograph.facts.telemetry import (
    ClockStepped,
    CollectorSelf,
    HostInfo,
    HostOomKill,
    HostSample,
    ProbeUnavailable,
    Sample,
    SamplesThinned,
    SeqRange,
    TickMissed,
)
from barograph.facts.trial import (
    ExecFinished,
    PhaseEnd,
    PhaseFinished,
    PhaseStarted,
    Raised,
    TrialFinished,
    TrialStarted,
)
from barograph.facts.unknown import Unknown

KnownPayload = (
    SweepPlanned
    | SweepStarted
    | SweepFinished
    | TrialStarted
    | PhaseStarted
    | PhaseFinished
    | ExecFinished
    | TrialFinished
    | SandboxCreated
    | SandboxState
    | SandboxDestroyed
    | OomKill
    | Sample
    | HostInfo
    | HostSample
    | HostOomKill
    | CollectorSelf
    | ProbeUnavailable
    | TickMissed
    | SamplesThinned
    | ClockStepped
    | VerdictOverridden
    | NoteAdded
    | ShipperSelf
    | EventsRefused
    | LogPruned
    | EventsLeftOut
)
Payload = KnownPayload | Unknown

FACTS: Final[dict[str, type[KnownPayload]]] = {
    fact.type: fact
    for fact in (
        SweepPlanned,
        SweepStarted,
        SweepFinished,
        TrialStarted,
        PhaseStarted,
        PhaseFinished,
        ExecFinished,
        TrialFinished,
        SandboxCreated,
        SandboxState,
        SandboxDestroyed,
        OomKill,
        Sample,
        HostInfo,
        HostSample,
        HostOomKill,
        CollectorSelf,
        ProbeUnavailable,
        TickMissed,
        SamplesThinned,
        ClockStepped,
        VerdictOverridden,
        NoteAdded,
        ShipperSelf,
        EventsRefused,
        LogPruned,
        EventsLeftOut,
    )
}

__all__ = [
    "FACTS",
    "PEOPLES_TYPES",
    "ClockStepped",
    "CollectorSelf",
    "EventsLeftOut",
    "EventsRefused",
    "ExecFinished",
    "Fact",
    "HostInfo",
    "HostOomKill",
    "HostSample",
    "KnownPayload",
    "LogPruned",
    "NoteAdded",
    "OomKill",
    "OomScope",
    "Payload",
    "Phase",
    "PhaseEnd",
    "PhaseFinished",
    "PhaseStarted",
    "ProbeUnavailable",
    "Raised",
    "Sample",
    "SamplesThinned",
    "SandboxCreated",
    "SandboxDestroyed",
    "SandboxState",
    "SeqRange",
    "ShipperSelf",
    "SweepFinished",
    "SweepPlanned",
    "SweepStarted",
    "TickMissed",
    "TrialFinished",
    "TrialStarted",
    "Unknown",
    "VerdictOverridden",
]
