"""What a runner's facts say: names, digests, and the payloads of a sweep and its tries."""

import hashlib

from barograph.envelope import Belongs
from barograph.facts import (
    Raised,
    SandboxCreated,
    SweepPlanned,
    SweepStarted,
    TrialFinished,
    TrialStarted,
)
from barograph.units import GIB
from bench.synthetic.plan import AGENTS, CEILINGS, SEED, SWEEP, US, Size, Try, dice_of, tasks


def host_name(host: int) -> str:
    """As the collector and the runner call it."""
    return f"node-{host + 1}"


def belongs_of(one: Try) -> Belongs:
    """Of everything about a try."""
    return Belongs(sweep=SWEEP, trial=one.trial, try_no=one.try_no, target=one.target)


def pid_of(one: Try, ordinal: int) -> int:
    """Of a command, which is its session too."""
    return 2_000 + (one.number * 12 + ordinal) % 4_000_000


def digest_of(text: str) -> str:
    """As the runner writes digests."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def started(one: Try) -> TrialStarted:
    """How a try begins."""
    return TrialStarted(
        task=one.task.name,
        task_digest=digest_of(one.task.name),
        agent=one.agent,
        condition=one.condition,
        attempt=one.attempt,
        host=host_name(one.host),
        block=one.attempt - 1,
        model=f"maker/model-{one.agent}",
        spec_memory_bytes=one.task.spec_bytes,
        spec_cpu_cores=1.0,
        spec_from="task",
        memory_floor_multiple=1.0,
        memory_ceiling_multiple=one.multiple,
        seed=dice_of("seed", one.number).getrandbits(31),
    )


def created(one: Try) -> SandboxCreated:
    """The sandbox of a try, its ceiling applied as asked."""
    ceiling = one.ceiling_bytes
    return SandboxCreated(
        driver="local",
        node=host_name(one.host),
        oom_scope="sandbox",
        oom_scope_enforced_by="kernel",
        kernel="6.12.0",
        cgroup_version=2,
        cgroup_path=f"/barograph/large/{one.target}",
        asked_memory_floor_bytes=one.task.spec_bytes,
        asked_memory_ceiling_bytes=ceiling,
        applied_memory_floor_bytes=one.task.spec_bytes,
        applied_memory_ceiling_bytes=ceiling,
        parent_cap_bytes=240 * GIB,
        pids_limit=1024,
        network="public",
        cpu_model="Some Processor",
        flags=["host_files"],
    )


def finished(one: Try) -> TrialFinished:
    """How a try ends, by its fate."""
    dice = dice_of("end", one.number, one.try_no)
    tokens = dice.randrange(9_000, 900_000)
    duration_s = (one.end_us + 200_000 - one.start_us) / US
    if one.fate in {"error", "no_start"}:
        kind = "SandboxStartError" if one.fate == "no_start" else "AgentConnectionError"
        raised = Raised(type=kind, message="the other side went away")
        return TrialFinished(how="error", duration_s=duration_s, exceptions=[raised])
    killed, timeout, unread = (one.fate == fate for fate in ("killed", "timeout", "verifier_error"))
    rewards = {"reward": 1.0 if one.fate == "passed" else 0.0}
    return TrialFinished(
        how="sandbox_died" if killed else "completed",
        duration_s=duration_s,
        rewards=None if killed or unread else rewards,
        verifier_ran=not killed,
        verifier_exit=None if killed else 2 if unread else 0,
        verifier_error="RewardFileNotFoundError" if unread else None,
        timed_out_phase="agent" if timeout else None,
        sandbox_exit=137 if killed else None,
        agent_exit=1 if killed else None if timeout else 0,
        tokens_in=tokens,
        tokens_out=tokens // 20,
        cost_usd=round(tokens * 3e-6, 6),
    )


def campaign(size: Size, left: int, *, resumed: bool) -> SweepStarted:
    """A runner that begins or goes on."""
    return SweepStarted(
        host=host_name(0),
        pid=4_242 + resumed,
        concurrency=size.hosts * size.slots,
        resumed=resumed,
        trials_left=left,
    )


def plan_of(size: Size) -> SweepPlanned:
    """The plan, as the runner tells it."""
    names = [task.name for task in tasks(size)]
    return SweepPlanned(
        name="large",
        digest=digest_of(f"{SEED} {size}"),
        seed=SEED,
        trials=size.trials,
        attempts=size.attempts,
        spec={"sweep": {"name": "large", "seed": SEED, "attempts": size.attempts}},
        product_version="0",
        harness="barograph",
        tasks={name: digest_of(name) for name in names},
        dataset="synthetic",
        oom_scope="sandbox",
        conditions=[name for name, _ in CEILINGS],
        agents=list(AGENTS),
    )
