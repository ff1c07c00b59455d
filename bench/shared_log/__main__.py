"""``python -m bench.shared_log rates|live|away``: what the log on Kafka costs and carries."""

import argparse
import tempfile
from pathlib import Path

from barograph.folder import DataFolder
from bench.shared_log import away, live, peers, rates
from bench.shared_log.topic import broker, write_backlog


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.shared_log", description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    one = parts.add_parser("rates", description=rates.__doc__)
    one.add_argument("--samples", type=int, default=2_000_000)
    one.add_argument("--peer-samples", type=int, default=2_000_000, help="of them")
    one.add_argument("--rounds", type=int, default=3)
    one.add_argument("--scale", type=float, default=1.0, help="of the sweep they are from")
    one.add_argument("--way", help=argparse.SUPPRESS)
    one.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    one.add_argument("--url", help=argparse.SUPPRESS)
    one = parts.add_parser("live", description=live.__doc__)
    one.add_argument("--rate", type=int, default=1_000, help="samples a second")
    one.add_argument("--seconds", type=int, default=60, help="of each turn")
    one.add_argument("--turns", type=int, default=3)
    one = parts.add_parser("away", description=away.__doc__)
    one.add_argument("--rate", type=int, default=1_000, help="samples a second")
    one.add_argument("--seconds", type=int, default=600, help="without a broker")
    options = parser.parse_args()
    if options.part == "rates" and options.way is not None:
        folder = DataFolder.existing(options.folder)
        rates.run_way(options.way, folder, options.url, options.samples)
        return
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        root = Path(name)
        match options.part:
            case "rates":
                print(_rates(root, options))
            case "live":
                with broker(root / "kafka") as kafka:
                    print(live.report(kafka, root, options.rate, options.seconds, options.turns))
            case _:
                with broker(root / "kafka") as kafka:
                    print(away.report(kafka, root, options.rate, options.seconds))


def _rates(root: Path, options: argparse.Namespace) -> str:
    count: int = options.samples
    peers.environment()
    write_backlog(root / "journal", count, options.scale)
    with broker(root / "kafka") as kafka:
        measuring = rates.Rates(kafka, root, count, options.peer_samples)
        for number in range(options.rounds):
            measuring.round(number)
    return rates.report(measuring, count)


if __name__ == "__main__":
    main()
