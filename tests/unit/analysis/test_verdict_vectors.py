"""The shared vectors of the verdict policy, each exactly, and what a verdict carries."""

import json
from pathlib import Path
from typing import TypedDict, cast

import pytest

from analysis.errors import EvidenceError
from analysis.verdicts.engine import evidence_digest, judge
from analysis.verdicts.outcomes import outcome
from analysis.verdicts.reading import policy_v1

VECTORS = Path(__file__).parents[2] / "vectors" / "verdicts.json"


class Vector(TypedDict):
    evidence: dict[str, object]
    cause: str
    family: str
    confidence: str
    counts_as: str
    also: list[str]


CASES = cast("list[Vector]", json.loads(VECTORS.read_text()))


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{c['cause']}" for i, c in enumerate(CASES)])
def test_policy_1_gives_the_vector_exactly(case: Vector) -> None:
    verdict = judge(policy_v1(), case["evidence"])
    assert verdict.cause == case["cause"]
    assert verdict.family == case["family"]
    assert verdict.confidence == case["confidence"]
    assert verdict.counts_as == case["counts_as"]
    assert set(verdict.also) == set(case["also"])
    assert len(verdict.also) == len(set(verdict.also))


def test_all_forty_vectors_are_there() -> None:
    assert len(CASES) == 40


def test_none_is_unknown_like_an_absent_key() -> None:
    bare = judge(policy_v1(), {"timed_out": True})
    padded = judge(policy_v1(), {"timed_out": True, "oom_kill": None, "passed": None})
    assert bare == padded


def test_a_verdict_names_the_facts_that_made_it() -> None:
    verdict = judge(policy_v1(), {"oom_kill": 3, "oom_phase": "agent", "passed": False})
    assert [(item.fact, item.value) for item in verdict.evidence] == [
        ("oom_kill", 3),
        ("oom_phase", ("agent",)),
    ]
    assert verdict.sentence() == (
        "the memory ceiling killed a process inside the sandbox, which went on without it "
        "(likely) — processes killed by the kernel's OOM killer: 3; phase in which an OOM kill "
        "happened: agent"
    )


def test_an_unknown_fact_can_be_part_of_the_reason() -> None:
    verdict = judge(policy_v1(), {"oom_kill": 1})
    assert ("oom_phase", None) in [(item.fact, item.value) for item in verdict.evidence]
    assert "not known: phase" in verdict.sentence()


def test_a_timeout_kill_after_a_childs_kill_is_not_the_containers_kill() -> None:
    verdict = judge(
        policy_v1(),
        {"timed_out": True, "killed_by_harness_timeout": True, "pid1_exit": 137, "oom_kill": 1},
    )
    assert verdict.cause == "oom_child"
    assert "oom_container" not in verdict.also


def test_kills_in_agent_and_verifier_show_both() -> None:
    verdict = judge(
        policy_v1(), {"oom_kill": 2, "oom_phase": ["agent", "verifier"], "verifier_ran": True}
    )
    assert verdict.cause == "verifier_oom"
    assert "oom_child" in verdict.also


def test_a_cancelled_trial_is_left_out_even_if_it_passed() -> None:
    # Keeping passes and leaving out failures of cancelled trials would raise the score.
    verdict = judge(policy_v1(), {"cancelled_by_operator": True, "passed": True})
    assert verdict.counts_as == "excluded"
    assert "none" not in verdict.also


def test_scheduling_words_do_not_count_where_the_sandbox_ran() -> None:
    evidence = {"k8s_reasons": ["FailedScheduling", "ErrImagePull"], "container_started": True}
    verdict = judge(policy_v1(), {**evidence, "verifier_ran": True, "passed": False})
    assert verdict.cause == "model_failure"
    assert verdict.also == ()


def test_one_failed_write_is_not_a_full_disk() -> None:
    roomy = judge(policy_v1(), {"enospc_count": 1, "disk_used_frac": 0.2, "passed": False})
    unknown = judge(policy_v1(), {"enospc_count": 1, "passed": False})
    assert roomy.cause == "model_failure"
    assert (unknown.cause, unknown.confidence) == ("disk_full", "likely")


@pytest.mark.parametrize(
    "evidence",
    [
        {"oom_kill": True},
        {"oom_kill": 1.0},
        {"pid1_exit": "137"},
        {"passed": 1},
        {"k8s_reasons": ["Evicted", 3]},
        {"container_reason": ["OOMKilled"]},
        {"api_wait_frac": "0.5"},
    ],
    ids=str,
)
def test_a_fact_of_the_wrong_type_is_an_error_and_not_a_miss(evidence: dict[str, object]) -> None:
    with pytest.raises(EvidenceError, match="wrong type"):
        judge(policy_v1(), evidence)


def test_digests_follow_what_is_known_and_nothing_else() -> None:
    first = evidence_digest({"oom_kill": 1, "passed": False, "timed_out": None})
    assert first == evidence_digest({"passed": False, "oom_kill": 1})
    assert first != evidence_digest({"passed": False, "oom_kill": 2})
    assert first != evidence_digest({"passed": False, "oom_kill": 1, "of_a_later_version": 1})


def test_suspects_count_each_way() -> None:
    assert outcome("infra_suspect") == "not_solved"
    assert outcome("infra_suspect", "sensitivity") == "infra"
    assert outcome("timeout_infra", "sensitivity") == "infra"
    assert outcome("timeout", "sensitivity") == "not_solved"
    assert outcome("excluded") is None
