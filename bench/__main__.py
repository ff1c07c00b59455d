"""``make bench``: every measurement that README and docs quote, one after the other.

Each is a program of its own (``python -m bench.NAME``) that writes ``results/NAME.md`` and
``.json`` with its command. They run one at a time, because each wants the machine.
``python -m bench loader peaks`` runs only those.
"""

import subprocess
import sys
from typing import Final

BENCHES: Final[dict[str, tuple[str, ...]]] = {
    "demo": ("bench.demo",),
    "peaks": ("bench.peaks",),
    "peaks_v2": ("bench.peaks_v2",),
    "collector_cost": ("bench.collector_cost", "--drift-seconds", "600"),
    "loader": ("bench.loader",),
    "judging": ("bench.judging",),
    "sandbox_cost": ("bench.sandbox_cost",),
    "pack": ("bench.pack", "design"),
    # On the large sweep, which the first of them makes (half an hour, 20 GB).
    "large": ("bench.large",),
    "pages": ("bench.pages",),
    "serve": ("bench.serve",),
    "explorer": ("bench.explorer",),
    # The samples of the large sweep, and peers in an environment of their own.
    "shared_log": ("bench.shared_log", "rates"),
    "shared_log_live": ("bench.shared_log", "live"),
    "shared_log_away": ("bench.shared_log", "away"),
}


def main(names: list[str]) -> int:
    """Run the named benches, or all; the return value is the exit code."""
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"no bench {unknown[0]!r}; there are {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    failed = [name for name in names or BENCHES if not _run(BENCHES[name])]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _run(command: tuple[str, ...]) -> bool:
    print(f"# python -m {' '.join(command)}", flush=True)
    return subprocess.run([sys.executable, "-m", *command], check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
