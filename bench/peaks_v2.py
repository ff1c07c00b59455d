"""``bench.peaks`` on cgroup v2: the same program and collector, in the virtual machine.

``python -m bench.peaks_v2`` boots Linux 6.12, whose ``memory.peak`` can be reset for one
descriptor, and keeps what is measured there as ``peaks-v2``. The guest is emulated and slow, so
the sizes are smaller; a spike takes seconds to be touched, which helps the plain sampling.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Final

from bench import results_file
from tests.vm import payload
from tests.vm.image import image
from tests.vm.machine import Machine

FILES: Final = ("peaks.py", "results_file.py")
HERE: Final = Path(__file__).parent


def main() -> None:
    """Measure in the guest, keep here."""
    parser = argparse.ArgumentParser(prog="python -m bench.peaks_v2", description=__doc__)
    parser.add_argument("--spikes", type=int, default=40)
    parser.add_argument("--largest-mib", type=int, default=200)
    parser.add_argument("--results", type=Path, default=results_file.RESULTS)
    asked = parser.parse_args()
    built = image()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        disk = payload.pack(scratch / "payload.img")
        with Machine(built, disk, scratch=scratch) as machine:
            for name in FILES:
                machine.put(f"/run/bench/{name}", (HERE / name).read_bytes())
            options = f"--spikes {asked.spikes} --largest-mib {asked.largest_mib}"
            ran = machine.run(
                f"python3 -m bench.peaks {options} --results /run/results",
                timeout_s=1800,
                cwd="/run",
            )
            assert ran.exit_code == 0, ran.stderr
            asked.results.mkdir(parents=True, exist_ok=True)
            for suffix in ("md", "json"):
                kept = machine.get(f"/run/results/peaks-v2.{suffix}")
                (asked.results / f"peaks-v2.{suffix}").write_bytes(kept)
    print(ran.stdout)


if __name__ == "__main__":
    main()
