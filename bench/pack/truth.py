"""The right answers of the pack, computed a third way, and kept where the verifiers read them.

A verifier that recomputed its truth in the sandbox would need the memory and the time that
the task is about, and one that asked the agents' own programs would believe their mistakes.
So the truth is computed here, by other methods than those programs use wherever there are
others (exact integers against floats, SQLite against dictionaries, bit-parallel distances
against tables), and stored beside each ``check.py``. A test computes it again.

Everything here may use as much memory as it likes.
"""

import gzip
import hashlib
import json
import math
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import groupby, product
from pathlib import Path
from struct import iter_unpack
from typing import Final, TypedDict

EXPECTED: Final = ("expected.csv", "expected.json")
_PIVOT: Final = 2**23
"""The gravimeters' readings are multiples of 1 / 2^23: doubles just below 2^30."""


def _csv(rows: Iterable[Iterable[object]]) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def _json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


def _digest(text: str) -> str:
    raw = text.encode()
    return _json({"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()})


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def covariance(app: Path) -> str:
    """In integers: exact until the last division."""
    rows = list(iter_unpack("<20d", (app / "readings.f64").read_bytes()))
    scaled: list[list[int]] = []
    for column in zip(*rows, strict=True):
        units = [int(value * _PIVOT) for value in column]
        assert [unit / _PIVOT for unit in units] == list(column)
        scaled.append(units)
    n = len(rows)
    reference = scaled[0]
    exact = [
        Fraction(
            n * sum(a * b for a, b in zip(units, reference, strict=True))
            - sum(units) * sum(reference),
            n * (n - 1) * _PIVOT**2,
        )
        for units in scaled
    ]
    return _json([float(value) for value in exact])


def log_incidents(app: Path) -> str:
    """By one pattern over the whole text, and the time zones of the standard library."""
    text = (app / "services.log").read_text()
    stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d"
    entry = re.compile(
        rf"^({stamp}) \S+ ERROR (\w+)[^\n]*\n((?:(?!{stamp})[^\n]*\n)*)", re.MULTILINE
    )
    counts: Counter[tuple[str, str]] = Counter()
    for when, named, trace in entry.findall(text):
        causes = re.findall(r"^Caused by: (\w+)", trace, re.MULTILINE)
        utc = datetime.fromisoformat(when).astimezone(UTC)
        counts[f"{utc:%Y-%m-%dT%H}", (causes or [named])[-1]] += 1
    return _csv((*key, count) for key, count in sorted(counts.items()))


def dedup(app: Path) -> str:
    """By sorting equal contacts together instead of remembering them."""
    lines = (app / "contacts.txt").read_text(encoding="utf-8").split("\n")[:-1]
    folded = [re.sub(r"\s+", " ", line.casefold()).strip() for line in lines]
    order = sorted(range(len(lines)), key=lambda index: (folded[index], index))
    firsts = [next(same) for _, same in groupby(order, key=lambda index: folded[index])]
    return _digest("".join(f"{lines[index]}\n" for index in sorted(firsts)))


def _table(file: Path) -> list[list[str]]:
    return [line.split(",") for line in file.read_text().splitlines()[1:]]


def orders_report(app: Path) -> str:
    """By dictionaries instead of SQL."""
    region = dict(_table(app / "customers.csv"))
    place = {
        order: (region[customer], day[:7])
        for order, customer, day in _table(app / "orders.csv")
        if customer in region
    }
    revenue: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for order, item, quantity, cents in _table(app / "items.csv"):
        revenue[place[order]][item] += int(quantity) * int(cents)
    rows: list[tuple[object, ...]] = []
    for (where, month), sold in sorted(revenue.items()):
        best = sorted(sold.items(), key=lambda one: (-one[1], one[0]))[:3]
        rows += [(where, month, rank, *one) for rank, one in enumerate(best, start=1)]
    return _csv(rows)


def join(app: Path) -> str:
    """By SQL instead of dictionaries."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE orders (id, region, class)")
    database.execute("CREATE TABLE shipments (shipment, id, depot, kilograms INTEGER)")
    database.executemany("INSERT INTO orders VALUES (?,?,?)", _table(app / "orders.csv"))
    database.executemany("INSERT INTO shipments VALUES (?,?,?,?)", _table(app / "shipments.csv"))
    database.execute("CREATE INDEX by_id ON orders (id)")
    rows = database.execute(
        "SELECT depot, region, class, sum(kilograms) FROM shipments JOIN orders USING (id)"
        " GROUP BY depot, region, class ORDER BY depot, region, class"
    ).fetchall()
    database.close()
    return _csv(rows)


def diff(app: Path) -> str:
    """By Hyyrö's bit-parallel recurrence: one integer for a whole row of the table."""
    old = (app / "old.txt").read_text().splitlines()
    new = (app / "new.txt").read_text().splitlines()
    everywhere = (1 << len(old)) - 1
    places: dict[str, int] = defaultdict(int)
    for index, line in enumerate(old):
        places[line] |= 1 << index
    zeros = everywhere
    for line in new:
        hits = zeros & places[line]
        zeros = ((zeros + hits) | (zeros - hits)) & everywhere
    common = len(old) - zeros.bit_count()
    digests = {f"/app/{name}": _sha256(app / name) for name in ("old.txt", "new.txt")}
    return _json({"edits": len(old) + len(new) - 2 * common, "sha256": digests})


def external_sort(app: Path) -> str:
    """By exact decimals, one key after the other, the last first."""
    lines = (app / "payments.txt").read_text(encoding="utf-8").split("\n")[:-1]
    lines.sort(key=lambda line: line.split("|")[1].casefold())
    lines.sort(key=lambda line: Decimal(line.split("|")[2]), reverse=True)
    return _digest("".join(f"{line}\n" for line in lines))


def phrase_index(app: Path) -> str:
    """By a pattern over the whole text for every phrase; overlaps counted by look-ahead."""
    book = (app / "book.txt").read_text(encoding="utf-8").casefold()
    rows: list[tuple[object, ...]] = []
    for phrase in (app / "phrases.txt").read_text(encoding="utf-8").splitlines():
        words = r"\W+".join(map(re.escape, phrase.casefold().split()))
        starts = [found.start() for found in re.finditer(rf"\b(?={words}\b)", book)]
        rows.append((phrase, len(starts), len(re.findall(r"\w+", book[: starts[0]]))))
    return _csv(rows)


class _Node(TypedDict):
    values: list[str]
    parents: list[str]


class _Query(TypedDict):
    ask: str
    given: dict[str, str]


def bayes_net(app: Path) -> str:
    """By the whole joint distribution, world by world."""
    network: dict[str, _Node] = json.loads((app / "network.json").read_text())
    queries: list[_Query] = json.loads((app / "queries.json").read_text())
    header, *rows = [line.split(",") for line in (app / "records.csv").read_text().split("\n")[:-1]]
    records = Counter(map(tuple, rows))
    table: dict[tuple[str, ...], float] = {}
    for name, node in network.items():
        members = [header.index(one) for one in (name, *node["parents"])]
        seen: Counter[tuple[str, ...]] = Counter()
        for record, times in records.items():
            seen[tuple(record[member] for member in members)] += times
        for given in product(*(network[parent]["values"] for parent in node["parents"])):
            total = sum(seen[value, *given] for value in node["values"]) + len(node["values"])
            for value in node["values"]:
                table[name, value, *given] = (seen[value, *given] + 1) / total
    worlds: list[tuple[dict[str, str], float]] = []
    for values in product(*(node["values"] for node in network.values())):
        world = dict(zip(network, values, strict=True))
        chances = [
            table[name, world[name], *(world[parent] for parent in node["parents"])]
            for name, node in network.items()
        ]
        worlds.append((world, math.prod(chances)))
    answers: list[float] = []
    for query in queries:
        name, value = query["ask"].split("=")
        fits = [one for one in worlds if query["given"].items() <= one[0].items()]
        both = math.fsum(chance for world, chance in fits if world[name] == value)
        answers.append(both / math.fsum(chance for _, chance in fits))
    return _json(answers)


class _Parcel(TypedDict):
    id: str
    grams: int
    cents: int


class _Van(TypedDict):
    capacity_grams: int
    parcels: list[_Parcel]


def knapsack(app: Path) -> str:
    """By the loads that no other load beats in both weight and earning (Nemhauser, Ullmann)."""
    van: _Van = json.loads((app / "parcels.json").read_text())
    frontier = [(0, 0)]
    for parcel in van["parcels"]:
        grams, cents = parcel["grams"], parcel["cents"]
        added = [
            (weight + grams, earned + cents)
            for weight, earned in frontier
            if weight + grams <= van["capacity_grams"]
        ]
        best = -1
        kept: list[tuple[int, int]] = []
        for weight, earned in sorted([*frontier, *added], key=lambda load: (load[0], -load[1])):
            if earned > best:
                best = earned
                kept.append((weight, earned))
        frontier = kept
    return _json({"earned": frontier[-1][1], "sha256": _sha256(app / "parcels.json")})


def reachability(app: Path) -> str:
    """By two closures, forwards for the ranking and backwards for the total of the first."""
    lines = (app / "includes.txt").read_text().splitlines()
    includes = [{int(name) for name in line.split(":")[1].split()} for line in lines]
    forwards = [1 << file for file in range(len(includes))]
    backwards = list(forwards)
    for file, direct in reversed(list(enumerate(includes))):
        for included in direct:
            forwards[file] |= forwards[included]
    for file, direct in enumerate(includes):
        for included in direct:
            backwards[included] |= backwards[file]
    reached = [bits.bit_count() - 1 for bits in forwards]
    total = sum(reached)
    assert total == sum(bits.bit_count() - 1 for bits in backwards)
    best = sorted(enumerate(reached), key=lambda one: one[1], reverse=True)[:10]
    return f"{total}\n" + "".join(f"{file} {count}\n" for file, count in best)


def traffic_archive(app: Path) -> str:
    """Request by request."""
    totals: dict[str, list[int]] = {}
    with gzip.open(app / "traffic.log.gz", "rt") as log:
        for request in log:
            path, status, size, took = request.split(" ", 6)[2:6]
            sums = totals.setdefault(path, [0, 0, 0, 0])
            sums[0] += 1
            sums[1] += int(size)
            sums[2] += status >= "500"
            sums[3] = max(sums[3], int(took.removesuffix("ms")))
    return _csv((path, *sums) for path, sums in sorted(totals.items()))


TRUTHS: Final[dict[str, Callable[[Path], str]]] = {
    "bayes-net": bayes_net,
    "covariance": covariance,
    "dedup": dedup,
    "diff": diff,
    "external-sort": external_sort,
    "join": join,
    "knapsack": knapsack,
    "log-incidents": log_incidents,
    "orders-report": orders_report,
    "phrase-index": phrase_index,
    "reachability": reachability,
    "traffic-archive": traffic_archive,
}
"""Task -> the content of its expected file, from the folder that its setup made."""
