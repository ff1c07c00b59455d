"""Every verdict vector goes through the store and comes out as the policy judges it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast, get_type_hints

from analysis.judging import evidence_items, judging_policy
from analysis.verdicts.engine import judge
from analysis.verdicts.reading import policy_v1
from store.judging import refresh
from store.literals import literal
from store.rows import Evidence
from tests.stores import empty_store

VECTORS = Path(__file__).parents[2] / "vectors" / "verdicts.json"


def test_all_vectors_are_kept_as_they_are_judged() -> None:
    database, policy = empty_store(), policy_v1()
    cases = [case["evidence"] for case in json.loads(VECTORS.read_text())]
    database.run("ALTER VIEW evidence RENAME TO real_evidence")
    try:
        database.run(_evidence_of(cases))
        assert refresh(database, judging_policy(policy), None)
    finally:
        database.run("DROP VIEW IF EXISTS evidence")
        database.run("ALTER VIEW real_evidence RENAME TO evidence")
    rows = {int(str(row["trial"])): row for row in database.ask("FROM judged_try").records()}
    assert len(rows) == len(cases)
    for place, evidence in enumerate(cases):
        verdict, row = judge(policy, evidence), rows[place]
        for name in ("cause", "family", "confidence", "counts_as", "says", "evidence_digest"):
            assert row[name] == getattr(verdict, name), evidence
        assert cast("list[str]", row["also"]) == list(verdict.also)
        assert evidence_items(str(row["because"])) == verdict.evidence


IDENTITY = """
    's' AS sweep, e.place::VARCHAR AS trial, 1::BIGINT AS try_no, 't' AS task, 'a' AS agent,
    NULL AS model, '1x' AS condition, 1 AS attempt, 0 AS block, 'h' AS host, true AS stands,
    true AS outcome, 0 AS started_t_us, 1 AS finished_t_us, 1.0 AS duration_s,
    'completed' AS how, NULL AS reward, NULL AS spec_memory_bytes, NULL AS ceiling_bytes,
    NULL AS ceiling_multiple, NULL AS parent_cap_bytes, NULL AS peak_bytes, 0 AS kills,
    NULL AS kill_phase, NULL AS kill_command, NULL AS kill_victim
"""
KINDS = {"bool": "BOOLEAN", "int": "BIGINT", "float": "DOUBLE", "str": "VARCHAR"}


def _evidence_of(cases: list[Mapping[str, object]]) -> str:
    """A view of evidence that says what the vectors say, a try each."""
    hints = {name: str(hint) for name, hint in get_type_hints(Evidence).items()}
    several = {name for name, hint in hints.items() if hint.startswith("list")}
    wanted: Mapping[str, object] = {"place": "BIGINT"} | {
        name: ["VARCHAR"] if name in several else KINDS[hint.split(" ")[0]]
        for name, hint in hints.items()
    }
    listed = [
        {
            name: [value] if name in several and isinstance(value, str) else value
            for name, value in {"place": place, **case}.items()
        }
        for place, case in enumerate(cases)
    ]
    rows = f"from_json({literal(json.dumps(listed))}, {literal(json.dumps([wanted]))})"
    facts = ", ".join(f"e.{name}" for name in hints)
    chosen = f"SELECT {IDENTITY}, {facts} FROM (SELECT unnest({rows}) AS e)"  # noqa: S608 - ours
    return f"CREATE VIEW evidence AS {chosen}"
