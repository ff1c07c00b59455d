"""The result record: what it refuses to say, how it reads, and that it survives JSON."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from analysis.plain import to_json, to_plain
from analysis.result import Result

GOOD = Result(
    question="Score at 3x minus at 1x",
    estimand="mean over tasks of the difference of rates",
    frame="these_tasks",
    unit="points",
    estimate=2.0,
    ci_low=-1.9,
    ci_high=5.9,
    ci_method="normal, SE within tasks",
    p_value=0.4,
    p_method="exact",
    n_tasks=89,
    n_tasks_informative=40,
    attempts_min=10,
    attempts_max=10,
    n_trials=1780,
    n_events=900,
    min_attainable_p=1e-9,
)


def test_the_record_has_the_fields_of_the_contract() -> None:
    assert " ".join(item.name for item in fields(Result)) == (
        "question estimand frame unit estimate ci_low ci_high ci_level ci_method p_value "
        "p_method n_resamples seed n_tasks n_tasks_informative attempts_min attempts_max "
        "n_trials n_events min_attainable_p status reasons assumptions warnings"
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"status": "descriptive_only", "reasons": ("6 tasks",)}, "p-value must be None"),
        ({"status": "insufficient", "p_value": None, "p_method": None}, "says why"),
        ({"status": "certain"}, "unknown status"),
        ({"reasons": ("few",)}, "no reasons against it"),
        ({"estimate": None}, "ok result has an estimate"),
        ({"p_value": 0.0}, "p_value = 0.0"),
        ({"p_value": 1.2}, "p_value = 1.2"),
        ({"p_value": float("nan")}, "p_value = nan"),
        ({"p_value": None}, "come together"),
        ({"p_method": "monte_carlo"}, "resamples and seed"),
        ({"n_resamples": 9999, "seed": 1}, "resamples and seed"),
        ({"ci_low": None}, "two ends"),
        ({"ci_method": None}, "two ends"),
        ({"ci_low": 6.0}, "upside down"),
        ({"ci_level": 1.0}, "ci_level"),
        ({"estimate": float("inf")}, "no points"),
        ({"unit": "rate"}, "no rate"),
        ({"n_tasks_informative": 90}, "more informative tasks"),
        ({"attempts_min": 11}, "counts are"),
        ({"n_events": -1}, "counts are"),
        ({"min_attainable_p": 0.0}, "min_attainable_p"),
    ],
    ids=str,
)
def test_a_record_that_would_mislead_cannot_be_made(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        replace(GOOD, **changes)


def test_it_reads_in_plain_words() -> None:
    assert GOOD.sentence() == (
        "Score at 3x minus at 1x: +2.0 points (95% CI −1.9 to +5.9 points for these tasks, other "
        "attempts; p = .40, exact; 89 tasks, 10 attempts each, 1,780 trials)."
    )


def test_a_refusal_reads_as_one() -> None:
    few = replace(
        GOOD, status="descriptive_only", reasons=("6 tasks",), p_value=None, p_method=None
    )
    assert few.sentence().endswith("; described only, because 6 tasks.")
    assert "p =" not in few.sentence()
    none = replace(
        GOOD,
        status="insufficient",
        reasons=("no trial",),
        estimate=None,
        ci_low=None,
        ci_high=None,
        ci_method=None,
        p_value=None,
        p_method=None,
        attempts_min=0,
        n_trials=0,
    )
    assert none.sentence() == "Score at 3x minus at 1x: not known (no trial)."


def test_a_p_value_that_could_not_have_been_small_says_so() -> None:
    assert "no data of this size could have given less than .25" in (
        replace(GOOD, min_attainable_p=0.25).sentence()
    )


def test_it_survives_json() -> None:
    assert Result.from_plain(json.loads(to_json(GOOD))) == GOOD
    broken = json.loads(to_json(GOOD))
    del broken["frame"]
    with pytest.raises(ValueError, match="frame"):
        Result.from_plain(broken)


def test_plain_data_holds_no_infinity_and_nothing_foreign() -> None:
    with pytest.raises(ValueError, match="inf"):
        to_plain({"x": [float("inf")]})
    with pytest.raises(TypeError, match="object"):
        to_plain({"x": object()})
    assert to_plain({"x": (1, None, True)}) == {"x": [1, None, True]}
