"""Data folders for the explorer's tests: sweeps of any shape, told to a real journal.

What a test wants to see on a page (no kills, one trial, names that hurt, a sweep that still
runs) is told as events, and everything between them and the page is the product's own.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from streamlit.testing.v1 import AppTest

import store
from barograph.clock import US_PER_S
from barograph.envelope import Belongs
from barograph.facts import (
    OomKill,
    Payload,
    SandboxCreated,
    SandboxDestroyed,
    SweepFinished,
    SweepPlanned,
    SweepStarted,
    TrialFinished,
    TrialStarted,
)
from barograph.folder import DataFolder
from barograph.log.opening import open_log
from barograph.units import MIB
from barograph.writer import Said, Writer
from ui.explorer.options import VARIABLE, Options

RUN_S: Final = 120.0
NASTY: Final = (
    "<script>alert(1)</script>",
    "**bold** [link](https://example.org) :red[red] $x^2$ `code`",
    "emoji 🧨👩‍👩‍👧 ok",
    "שלום עולם \u202eevil\u202c",
    "very-long-" + "x" * 290,
)
"""Names that a page must show as they are, or cut, and never obey."""

_BOX: Final = "/barograph/test"
_SPEC: Final = 32 * MIB
_BEGIN_US: Final = 1_780_000_000 * US_PER_S
_MULTIPLES: Final = {"1x": 1.0, "2x": 2.0, "3x": 3.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One trial: passed, killed by its ceiling, or simply not solved; open: it still runs."""

    task: str
    agent: str = "brute"
    condition: str = "1x"
    attempt: int = 1
    ended: str = "passed"
    measured: bool = True


def folder_with(
    path: Path,
    trials: Sequence[Tried],
    *,
    name: str = "tested",
    planned: int | None = None,
    finished: bool = True,
) -> DataFolder:
    """A data folder whose journal tells of one sweep with these trials."""
    folder = DataFolder.create(path)
    writer = Writer(open_log(folder.log_url), source="r00000000001")
    conditions = list(dict.fromkeys(trial.condition for trial in trials))
    plan = SweepPlanned(
        name=name,
        digest="d",
        seed=1,
        trials=len(trials) if planned is None else planned,
        attempts=1,
        spec={},
        product_version="0",
        harness="test",
        tasks={trial.task: "d" for trial in trials},
        conditions=conditions,
        agents=list(dict.fromkeys(trial.agent for trial in trials)),
    )
    started = SweepStarted(host="h1", pid=1, concurrency=4, resumed=False, trials_left=len(trials))
    sweep = Belongs(sweep="s1")
    said = [Said(plan, sweep, _BEGIN_US), Said(started, sweep, _BEGIN_US)]
    for place, trial in enumerate(trials, 1):
        at_us = _BEGIN_US + place * 10 * US_PER_S
        of = Belongs(sweep="s1", trial=f"{place:012x}", try_no=1, target=f"{place:012x}-1")
        said += [Said(each, of, at_us + late) for late, each in enumerate(_facts(trial))]
    if finished:
        end = SweepFinished(reason="complete", trials_ended=len(trials))
        said.append(Said(end, sweep, _BEGIN_US + (len(trials) + 1) * 10 * US_PER_S))
    writer.write_many(said)
    with store.connect(folder) as served:
        served.load()
    return folder


def _facts(trial: Tried) -> list[Payload]:
    multiple = _MULTIPLES.get(trial.condition)
    ceiling = None if multiple is None else int(_SPEC * multiple)
    told: list[Payload] = [
        TrialStarted(
            task=trial.task,
            task_digest="d",
            agent=trial.agent,
            condition=trial.condition,
            attempt=trial.attempt,
            host="h1",
            block=0,
            spec_memory_bytes=_SPEC,
            memory_ceiling_multiple=multiple,
        ),
        SandboxCreated(
            driver="local",
            node="h1",
            oom_scope="sandbox",
            oom_scope_enforced_by="supervisor",
            kernel="6.1",
            cgroup_version=1,
            cgroup_path=_BOX,
            applied_memory_ceiling_bytes=ceiling,
        ),
    ]
    if trial.ended == "open":
        return told
    return [*told, *_end(trial, ceiling)]


def _end(trial: Tried, ceiling: int | None) -> list[Payload]:
    killed = trial.ended == "killed"
    told: list[Payload] = []
    if killed:
        told.append(
            OomKill(
                ordinal=1,
                counter_before=0,
                counter_after=1,
                victim_pid=77,
                victim_comm="python3",
                constraint="CONSTRAINT_MEMCG",
                oom_cgroup=_BOX,
                limit_bytes=ceiling,
            )
        )
    peak = (ceiling if killed else 8 * MIB) if trial.measured else None
    told.append(
        SandboxDestroyed(
            read_by="collector",
            reason="finished",
            peak_bytes=peak,
            oom_kill_total=int(killed) if trial.measured else None,
        )
    )
    reward = {"reward": 1.0 if trial.ended == "passed" else 0.0}
    told.append(
        TrialFinished(
            how="sandbox_died" if killed else "completed",
            duration_s=5.0,
            rewards=None if killed else reward,
            verifier_ran=not killed,
            sandbox_exit=137 if killed else None,
        )
    )
    return told


def curve_of(tasks: Sequence[str], agents: Sequence[str] = ("brute", "thrifty")) -> list[Tried]:
    """A sweep in which the tight ceiling kills one agent and more room saves it."""
    return [
        Tried(
            task=task,
            agent=agent,
            condition=condition,
            attempt=attempt,
            ended="killed"
            if (agent, condition) == (agents[0], "1x")
            else "passed"
            if (place + attempt) % 3
            else "failed",
        )
        for condition in ("1x", "2x", "uncapped")
        for agent in agents
        for place, task in enumerate(tasks)
        for attempt in (1, 2)
    ]


def explored(
    folder: DataFolder,
    monkeypatch: pytest.MonkeyPatch,
    page: str = "overview",
    /,
    **address: str | list[str],
) -> AppTest:
    """A page over a folder, drawn once at an address; call ``run`` for its next drawings."""
    monkeypatch.setenv(VARIABLE, Options(folder=str(folder.root)).to_text())
    app = AppTest.from_function(_one_page, default_timeout=RUN_S, kwargs={"name": page})
    for name, value in address.items():
        app.query_params[name] = value
    return app.run()


def _one_page(name: str) -> None:
    """What the app's entry does once its navigation has chosen a page of functions."""
    import streamlit as st  # noqa: PLC0415 - Streamlit runs this function's text alone

    from ui.explorer import frame, pages  # noqa: PLC0415 - likewise

    with frame.guarded("This page"):
        st.navigation([pages.page(spec.name) for spec in pages.PAGES], position="hidden")
        next(spec for spec in pages.PAGES if spec.name == name).render()


def said(app: AppTest) -> str:
    """All that the page says in words."""
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return "\n".join(str(part.value) for part in parts)


def specs(app: AppTest) -> list[dict[str, object]]:
    """The charts' specifications."""
    return [json.loads(chart.proto.spec) for chart in app.get("vega_lite_chart")]
