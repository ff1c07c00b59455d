"""What happened in a try, in order of time: phases, commands, kills, and how it ended."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from barograph.units import format_bytes, format_duration
from store.story import EndRow, ExecRow, KillRow, PhaseRow, SandboxRow, StateRow, Story
from ui.stories.said import Said
from ui.text import clock_time, shortened

if TYPE_CHECKING:
    from ui.palette import Hue

_COMMAND_CHARS: Final = 72
_MOST_COMMANDS: Final = 12
_PHASES: Final = {
    "environment": "Making the sandbox",
    "setup": "The task's setup",
    "agent": "The agent",
    "verifier": "The verifier",
}


def timeline(story: Story, try_no: int) -> list[Said]:
    """Tell one try.

    Args:
        story: everything about the trial.
        try_no: which of its tries.

    Returns:
        Sentences in order of time; those without a moment come last.

    """
    told: list[Said] = []
    for phase in story.phases:
        if phase.try_no == try_no:
            told += _phase(phase)
    told += _commands([one for one in story.execs if one.try_no == try_no])
    told += [_kill(kill) for kill in story.kills if kill.try_no == try_no]
    boxes = [box for box in story.sandboxes if box.try_no == try_no]
    for state in story.states:
        if state.try_no == try_no:
            told += _state(state, boxes)
    told += [said for end in story.ends if end.try_no == try_no for said in _end(end)]
    return sorted(told, key=lambda said: (said.t_us is None, said.t_us or 0))


def _phase(phase: PhaseRow) -> list[Said]:
    who = _PHASES.get(phase.phase, f"Phase {phase.phase}")
    told: list[Said] = []
    if phase.phase in {"agent", "verifier"} and phase.started_t_us is not None:
        limit = (
            "" if phase.limit_s is None else f", with a limit of {format_duration(phase.limit_s)}"
        )
        said = Said(
            text=f"{who} began{limit}.",
            evidence=(f"phase.started {phase.phase}",),
            t_us=phase.started_t_us,
        )
        told.append(said)
    if phase.finished_t_us is None:
        return told
    took = format_duration(phase.duration_s)
    hue: Hue | None = None
    match phase.how:
        case "ok":
            text = f"{who} took {took}."
        case "timeout":
            text, hue = f"{who} was ended at its time limit, after {took}.", "timeout"
        case _:
            text = f"{who} broke off after {took}{_why(phase.message)}."
    evidence = (f"phase.finished {phase.phase}",)
    told.append(Said(text=text, evidence=evidence, t_us=phase.finished_t_us, hue=hue))
    return told


def _why(message: str | None) -> str:
    return f" ({shortened(message, 2 * _COMMAND_CHARS)})" if message else ""


def _commands(execs: Sequence[ExecRow]) -> list[Said]:
    """Commands of the agent and the setup; the middle of a long list is counted."""
    shown = [one for one in execs if one.phase != "verifier"]
    half = _MOST_COMMANDS // 2
    if len(shown) <= _MOST_COMMANDS:
        return [_command(one) for one in shown]
    left_out = shown[half:-half]
    counted = Said(
        text=f"{len(left_out)} more commands.",
        evidence=(f"exec.finished {left_out[0].ordinal}–{left_out[-1].ordinal}",),
        t_us=left_out[0].started_t_us,
    )
    return [*map(_command, shown[:half]), counted, *map(_command, shown[-half:])]


def _command(one: ExecRow) -> Said:
    took = format_duration(one.duration_s)
    hue: Hue | None = None
    match one.how:
        case "timeout":
            how, hue = f"killed at its time limit after {took}", "timeout"
        case "sandbox_died":
            how = f"ran {took}, until the sandbox died"
        case "error":
            how = f"could not be run ({took})"
        case _:
            ended = f"signal {one.signal}" if one.signal else f"exit {one.exit_code}"
            how = f"{took}, {ended}"
    return Said(
        text=f"$ {shortened(one.command, _COMMAND_CHARS)}  ({how})",
        evidence=(f"exec.finished {one.ordinal}",),
        t_us=one.started_t_us,
        hue=hue,
    )


def _kill(kill: KillRow) -> Said:
    victim = kill.victim_comm or "a process"
    details: list[str] = []
    if kill.victim_pid is not None:
        details.append(f"pid {kill.victim_pid}")
    if kill.victim_anon_bytes is not None:
        details.append(f"{format_bytes(kill.victim_anon_bytes)} anonymous")
    if kill.victim_rss_bytes is not None:
        details.append(f"{format_bytes(kill.victim_rss_bytes)} resident")
    text = f"The kernel killed {victim}" + (f" ({', '.join(details)})" if details else "")
    whose = {True: "a parent's cap", False: "the sandbox's own ceiling", None: "the ceiling"}
    if kill.by_parent is not None or kill.limit_bytes is not None:
        text += f", at {whose[kill.by_parent]}"
    if kill.limit_bytes is not None:
        text += f" of {format_bytes(kill.limit_bytes)}"
    if kill.phase is not None:
        text += f", in phase {kill.phase}"
    if kill.command is not None:
        sure = "" if kill.joined_by == "session" else " (matched by time)"
        text += f", command {kill.exec_ordinal}{sure}: {shortened(kill.command, _COMMAND_CHARS)}"
    if not kill.exact_time and kill.read_before_t_us is not None:
        text += (
            f"; between {clock_time(kill.read_before_t_us)} and {clock_time(kill.read_after_t_us)}"
        )
    evidence = [f"oom.kill {kill.ordinal}"]
    if kill.exec_ordinal is not None:
        evidence.append(f"exec.finished {kill.exec_ordinal}")
    return Said(text=f"{text}.", evidence=tuple(evidence), t_us=kill.t_us, hue="memory")


def _state(state: StateRow, boxes: Sequence[SandboxRow]) -> list[Said]:
    by = {
        "kernel": "by the kernel",
        "supervisor": "by its supervisor, since this kernel does not do it by itself",
    }
    holder = by.get(boxes[0].oom_scope_enforced_by, "") if boxes else ""
    text = {
        "group_killed": "Everything else in the sandbox was killed with it: OOM scope sandbox, "
        f"carried out {holder}".rstrip()
        + ".",
        "died": f"The sandbox's init ended with {state.exit_code}, before it was taken down.",
        "killed": f"The sandbox was killed ({state.reason or 'no reason given'}).",
    }.get(state.state)
    if text is None:  # running and stopped are no news
        return []
    hue: Hue | None = "memory" if state.state == "group_killed" else None
    evidence = (f"sandbox.state {state.state}",)
    return [Said(text=text, evidence=evidence, t_us=state.t_us, hue=hue)]


def _end(end: EndRow) -> list[Said]:
    told: list[Said] = []
    if end.verifier_ran is False:
        text = "The verifier did not run."
        told.append(Said(text=text, evidence=("trial.finished",), t_us=end.t_us))
    elif end.verifier_error is not None:
        text = f"The verifier gave no reward ({end.verifier_error})."
        told.append(Said(text=text, evidence=("trial.finished",), t_us=end.t_us, hue="harness"))
    elif end.rewards is not None:
        rewards = cast("dict[str, float]", json.loads(end.rewards))
        given = ", ".join(f"{key} {value:g}" for key, value in rewards.items())
        text = f"The verifier gave {given}."
        told.append(Said(text=text, evidence=("trial.finished",), t_us=end.t_us))
    for raised in cast("list[dict[str, str]]", json.loads(end.exceptions or "[]")):
        text = f"{raised['type']}: {shortened(raised['message'], 2 * _COMMAND_CHARS)}"
        told.append(Said(text=text, evidence=("trial.finished",), t_us=end.t_us, hue="harness"))
    how = {
        "completed": "The try ran to its end",
        "sandbox_died": "The try ended with its sandbox",
        "error": "The try ended in a failure of ours",
        "cancelled": "The try was cancelled, and is run again",
    }.get(end.how, f"The try ended: {end.how}")
    took = format_duration(end.duration_s)
    last = Said(text=f"{how}, after {took}.", evidence=("trial.finished",), t_us=end.t_us)
    return [*told, last]
