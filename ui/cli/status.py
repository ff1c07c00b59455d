"""``barograph status``: how far is the sweep, what runs now, and is somebody watching?"""

from collections.abc import Sequence
from typing import Final

from barograph.clock import US_PER_S, SystemClock
from barograph.folder import DEFAULT_FOLDER, DataFolder
from barograph.shipping.keeping import shipping_of
from runner.ownership import owner_pid
from store.reader import Reader
from store.rows import SweepRow, TryRow
from ui.checks.holder import holder
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption
from ui.cli.output import answer
from ui.cli.reading import reading
from ui.reports import status as report
from ui.reports.status import KilledTry, Status

_RATE_OVER_US: Final = 120 * US_PER_S
_LAST_KILLS: Final = 8


def status(*, folder: DirOption = DEFAULT_FOLDER, as_json: JsonOption = False) -> None:
    """Say how far a sweep is, what runs now with how much memory, and what was killed last.

    The last lines say whether that can be trusted: collector, journal, database, and whether
    the kernel counted kills that nobody claims. Loads what is new in the journal first.
    """
    config = Config.of(folder, as_json=as_json)
    data = DataFolder.existing(config.folder)
    with reading(config, data) as reader:
        found = _status(data, reader)
    answer(config, "status", found, report.render(found))


def _status(data: DataFolder, reader: Reader) -> Status:
    now_us = SystemClock().wall_us()
    sweeps = reader.sweeps()
    sweep = sweeps[-1] if sweeps else None
    outcomes = reader.tries(sweep=sweep.sweep) if sweep else []
    files = [path.stat().st_size for path in data.journal.glob("*.jsonl")]
    counts = reader.counts()
    newest = counts.last_t_us
    rate = _per_minute(sweep, outcomes, now_us)
    left = None if sweep is None or not rate else 60 * (sweep.trials - sweep.standing) / rate
    return Status(
        now_us=now_us,
        folder=str(data.root),
        sweep=sweep,
        per_minute=rate,
        left_s=left,
        conditions=tuple(reader.condition_counts(sweep.sweep)) if sweep else (),
        running=tuple(reader.running(sweep.sweep)) if sweep else (),
        kills=_kills(outcomes),
        campaign_pid=owner_pid(data),
        collector_pid=holder(data.collector_lock),
        journal_bytes=sum(files),
        journal_files=len(files),
        store=counts,
        lag_s=None if newest is None else (now_us - newest) / US_PER_S,
        audit=tuple(reader.host_kills()),
        shipping=shipping_of(data),
    )


def _per_minute(sweep: SweepRow | None, outcomes: Sequence[TryRow], now_us: int) -> float | None:
    """Outcomes a minute over the last two minutes; None when none ended in them."""
    if sweep is None or sweep.first_started_t_us is None:
        return None
    since_us = max(now_us - _RATE_OVER_US, sweep.first_started_t_us)
    ended = sum(row.finished_t_us >= since_us for row in outcomes)
    minutes = (now_us - since_us) / US_PER_S / 60
    return ended / minutes if ended and minutes > 0 else None


def _kills(outcomes: Sequence[TryRow]) -> tuple[KilledTry, ...]:
    killed = [row for row in outcomes if row.kills]
    newest = sorted(killed, key=lambda row: row.finished_t_us, reverse=True)[:_LAST_KILLS]
    return tuple(
        KilledTry(
            trial=row.trial,
            task=row.task,
            agent=row.agent,
            condition=row.condition,
            t_us=row.finished_t_us,
            victim=row.kill_victim,
            phase=row.kill_phase,
            command=row.kill_command,
            kills=row.kills,
        )
        for row in newest
    )
