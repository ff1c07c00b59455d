"""Policies as files: what a wrong one is told, and what the digest depends on."""

from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import PolicyError
from analysis.verdicts.engine import judge
from analysis.verdicts.reading import policy_v1, read_policy, read_policy_file
from analysis.verdicts.vocabulary import FACT_NAMES
from barograph.errors import ExitCode

TEXT = resources.files("analysis.verdicts").joinpath("policy_v1.toml").read_text("utf-8")

SMALL = """
name = "small"
version = 1
[fallback]
cause = "unknown"
family = "ambiguous"
confidence = "possible"
counts_as = "infra_suspect"
says = "nothing is known"
[[rule]]
cause = "odd"
family = "model"
confidence = "certain"
counts_as = "fail"
says = "it is odd"
when = WHEN
"""


def small(when: str) -> str:
    return SMALL.replace("WHEN", when)


def holds(when: str, evidence: dict[str, object]) -> bool:
    return judge(read_policy(small(when), where="small.toml"), evidence).cause == "odd"


def test_version_1_has_every_cause_in_the_documented_order() -> None:
    causes = list(dict.fromkeys(rule.cause for rule in policy_v1().rules if rule.cause != "none"))
    assert " ".join(causes) == (
        "cancelled scheduling image_pull container_start node_eviction verifier_oom "
        "oom_container oom_host disk_full sigkill_unexplained harness_crash verifier_error "
        "network api_rate_limit api_overloaded api_auth_or_quota context_exhausted "
        "timeout_api_latency timeout_cpu_throttled timeout_memory_pressure oom_child "
        "timeout_model timeout_unattributed model_failure"
    )
    assert policy_v1().fallback.cause == "unknown"


def test_the_digest_ignores_comments_and_sees_thresholds() -> None:
    original = read_policy(TEXT, where="p").digest
    assert read_policy("# a remark\n" + TEXT, where="p").digest == original
    changed = TEXT.replace("ge = 0.25", "ge = 0.26", 1)
    assert read_policy(changed, where="p").digest != original


@pytest.mark.parametrize(
    ("when", "evidence", "expected"),
    [
        ('{ fact = "oom_kill", ge = 2 }', {"oom_kill": 2}, True),
        ('{ fact = "oom_kill", ge = 2 }', {"oom_kill": 1}, False),
        ('{ fact = "oom_kill", ge = 0 }', {}, False),
        ('{ fact = "passed", eq = false }', {}, False),
        ('{ fact = "passed", eq = false }', {"passed": False}, True),
        ('{ fact = "pid1_exit", in = [1, 2] }', {"pid1_exit": 2}, True),
        ('{ fact = "pid1_exit", in = [1, 2] }', {"pid1_exit": 3}, False),
        ('{ fact = "k8s_reasons", in = ["A"] }', {"k8s_reasons": ["B", "A"]}, True),
        ('{ fact = "k8s_reasons", in = ["A"] }', {"k8s_reasons": []}, False),
        ('{ fact = "start_error", present = true }', {"start_error": ""}, True),
        ('{ fact = "start_error", absent = true }', {}, True),
        ('{ fact = "start_error", absent = true }', {"start_error": "x"}, False),
        ('{ unless = [{ fact = "passed", eq = true }] }', {}, True),
        ('{ unless = [{ fact = "passed", eq = true }] }', {"passed": True}, False),
        (
            '{ any = [{ fact = "passed", eq = true }, { fact = "timed_out", eq = true }] }',
            {"timed_out": True},
            True,
        ),
        (
            '{ all = [{ fact = "passed", eq = true }, { fact = "timed_out", eq = true }] }',
            {"timed_out": True},
            False,
        ),
    ],
    ids=str,
)
def test_conditions_hold_or_are_not_known_to(
    when: str, evidence: dict[str, object], expected: bool
) -> None:
    assert holds(when, evidence) is expected


@pytest.mark.parametrize(
    ("when", "problem"),
    [
        ('{ fact = "oom_kills", ge = 1 }', "unknown fact"),
        ('{ fact = "oom_kill", gt = 1 }', "not a condition"),
        ('{ fact = "oom_kill", ge = 1, eq = 1 }', "not a condition"),
        ('{ fact = "oom_kill", eq = true }', "eq does not fit a count"),
        ('{ fact = "oom_kill", ge = 1.5 }', "ge does not fit a count"),
        ('{ fact = "passed", ge = 1 }', "ge does not fit a flag"),
        ('{ fact = "passed", in = [true] }', "in does not fit a flag"),
        ('{ fact = "k8s_reasons", eq = "Evicted" }', "eq does not fit a texts"),
        ('{ fact = "pid1_exit", in = [] }', "in does not fit a code"),
        ('{ fact = "pid1_exit", in = [137, "137"] }', "in does not fit a code"),
        ('{ fact = "pid1_exit", present = false }', "not true"),
        ("{ all = [] }", "not a condition"),
        ('{ not = [{ fact = "passed", eq = true }] }', "not a condition"),
        ('{ all = [{ fact = "passed", eq = true }], any = [] }', "not a condition"),
        ("{ any = [{ all = [3] }] }", "not a condition"),
        ("{}", "not a condition"),
        ("3", "not a condition"),
    ],
    ids=lambda value: value,
)
def test_a_wrong_condition_is_named_with_its_place(when: str, problem: str) -> None:
    with pytest.raises(PolicyError, match=problem) as raised:
        read_policy(small(when), where="small.toml")
    assert str(raised.value).startswith("small.toml: rule 1 (odd): when")
    assert raised.value.remedy
    assert raised.value.exit_code == ExitCode.INPUT


GOOD = small('{ fact = "passed", eq = true }')


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('name = "small"', "name = ", "not TOML"),
        ('name = "small"', "", "no name"),
        ("version = 1", "version = true", "no version"),
        ("version = 1", "version = 0", "no version"),
        ("version = 1", "version = 1\nextra = 2", "unknown key"),
        ("[[rule]]", "[rule]", "no rules"),
        ("[fallback]", "[fall]", "unknown key"),
        ("[fallback]", "[[fallback]]", "is no table"),
        ('counts_as = "fail"', 'counts_as = "failure"', "unknown word"),
        ('family = "model"', "family = 3", "unknown word"),
        ('says = "it is odd"', "says = 3", "is no text"),
        ('cause = "odd"', 'cause = ""', "is no text"),
        ("when", 'also_only = ["nowhere"]\nwhen', "unknown cause"),
        ("when", "also_only = [3]\nwhen", "no list"),
        ("when", "also_only = 3\nwhen", "no list"),
        ("when", 'in_also = "no"\nwhen', "is no flag"),
        ("when", "typo = 1\nwhen", "unknown key"),
    ],
    ids=str,
)
def test_a_wrong_file_is_refused_in_one_sentence(old: str, new: str, problem: str) -> None:
    with pytest.raises(PolicyError, match=problem) as raised:
        read_policy(GOOD.replace(old, new), where="small.toml")
    assert "small.toml" in str(raised.value)


def test_a_rule_must_be_a_table() -> None:
    with pytest.raises(PolicyError, match="is no table"):
        read_policy("rule = [3]\n" + GOOD.split("[[rule]]")[0], where="small.toml")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy_file(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy_file(tmp_path / "binary.toml")
    (tmp_path / "good.toml").write_text(GOOD)
    assert read_policy_file(tmp_path / "good.toml").name == "small"


@given(st.dictionaries(st.sampled_from(sorted(FACT_NAMES)), st.none()))
def test_without_a_known_fact_only_the_fallback_is_left(evidence: dict[str, object]) -> None:
    verdict = judge(policy_v1(), evidence)
    assert verdict.cause == "unknown"
    assert verdict.also == ()


FLAGS = [name for name, fact in FACT_NAMES.items() if fact.kind == "flag"]
COUNTS = [name for name, fact in FACT_NAMES.items() if fact.kind in {"count", "code"}]


@given(
    st.dictionaries(st.sampled_from(FLAGS), st.booleans()),
    st.dictionaries(st.sampled_from(COUNTS), st.integers(0, 600)),
)
def test_any_evidence_has_one_verdict_from_the_first_rule(
    flags: dict[str, bool], counts: dict[str, int]
) -> None:
    policy = policy_v1()
    verdict = judge(policy, {**flags, **counts})
    order = [rule.cause for rule in policy.rules] + [policy.fallback.cause]
    assert verdict.cause not in verdict.also
    assert all(order.index(verdict.cause) <= order.index(other) for other in verdict.also)
    assert verdict == judge(policy, {**counts, **flags})
