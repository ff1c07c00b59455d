"""The large sweep in small: a plan that could have been run, told in lines that load."""

from pathlib import Path

from barograph.log.journal import JournalLog
from bench.synthetic import runner
from bench.synthetic.collector import Collector
from bench.synthetic.plan import Size, Try, cut_us, tries
from bench.synthetic.traces import trace
from store.loader import Loader
from store.reader import Reader
from tests.stores import empty_store

SMALL = Size(tasks=1, attempts=1, hosts=2, slots=3)


def test_every_trial_runs_in_a_slot_of_its_own_and_a_cancelled_one_runs_again() -> None:
    told = tries(Size(tasks=2, slots=5))
    assert len({(one.trial, one.try_no) for one in told}) == len(told)
    again = {one.trial for one in told if one.try_no == 2}
    assert {one.trial for one in told if one.fate == "cancelled"} == again != set()
    free: dict[tuple[int, int], int] = {}
    for one in told:
        assert one.start_us >= free.get((one.host, one.slot), 0)
        free[one.host, one.slot] = one.end_us
        assert one.fate != "cancelled" or one.end_us <= cut_us(Size(tasks=2, slots=5))


def test_what_a_sandbox_uses_is_below_its_peak_and_that_below_its_ceiling() -> None:
    for one in tries(SMALL):
        samples = list(trace(one))
        assert len(samples) == one.seconds
        for sample in samples:
            assert (sample.anon_bytes or 0) <= (sample.usage_bytes or 0) <= (sample.peak_bytes or 0)
            assert one.ceiling_bytes is None or (sample.peak_bytes or 0) <= one.ceiling_bytes
        kills = sum(sample.oom_kill_delta or 0 for sample in samples)
        assert kills == (one.fate == "killed")
        if kills:
            assert samples[-1].peak_bytes == one.ceiling_bytes


def test_it_loads_as_it_was_told(tmp_path: Path) -> None:
    told = tries(SMALL)
    log = JournalLog(tmp_path, reserve_bytes=0)
    events = runner.tell(log, told, SMALL)
    for host in range(SMALL.hosts):
        collector = Collector(log, host)
        collector.run([one for one in told if one.host == host])
        events += collector.events
    log.close()
    database = empty_store()
    with Loader(database) as loader:
        report = loader.load(log)
    assert (report.events, report.duplicates, report.dead_letters) == (events, 0, 0)
    # A missed tick costs each target one sample.
    expected = sum(one.seconds for one in told)
    assert 0.98 * expected < report.samples <= expected
    reader = Reader(database)
    (sweep,) = reader.sweeps()
    assert (sweep.trials, sweep.standing) == (SMALL.trials, SMALL.trials)
    assert all(row.unclaimed == 0 for row in reader.host_kills())
    assert {one.trial: _passed(one) for one in told if one.fate != "cancelled"} == {
        row.trial: row.reward == 1.0 for row in reader.tries()
    }


def _passed(one: Try) -> bool:
    return one.fate == "passed"
