"""Numbers are the policy's; what they would be by people's word is asked for by name."""

from analysis.cells import tally
from analysis.overriding import causes_of, overridden, overrides_of, sentence
from analysis.rows import JudgedTrial, TrialRow, judge_rows
from analysis.verdicts.reading import policy_v1
from store.rows import WordRow

POLICY = policy_v1()


def judged(trial: str, **evidence: object) -> JudgedTrial:
    row = TrialRow(
        sweep="s",
        trial=trial,
        task=trial,
        agent="a",
        condition="1x",
        attempt=1,
        evidence=evidence,
        try_no=2,
    )
    return judge_rows(POLICY, [row])[0]


KILLED = judged("killed", oom_group_kill=1, oom_kill=1, pid1_exit=137)
FAILED = judged("failed", passed=False, verifier_ran=True)


def word(trial: str, cause: str, counts_as: str, **changes: object) -> WordRow:
    said: dict[str, object] = {
        "kind": "override",
        "sweep": "s",
        "trial": trial,
        "try_no": 2,
        "host": None,
        "from_t_us": None,
        "to_t_us": None,
        "cause": cause,
        "counts_as": counts_as,
        "author": "ada",
        "text": "so",
        "t_us": 1,
        "counts": True,
    }
    return WordRow(**(said | changes))  # type: ignore[arg-type]  # names are the test's own


def test_only_the_last_word_on_an_outcome_overrides() -> None:
    words = [
        word("killed", "model_failure", "fail"),
        word("failed", "network", "infra_error", counts=False),
        word("failed", "network", "infra_error", try_no=1),
        word("another", "network", "infra_error"),
        word("failed", "network", "infra_error", kind="note"),
    ]
    assert overrides_of([KILLED, FAILED], words) == {"killed": words[0]}


def test_a_persons_verdict_takes_the_place_and_no_other_does() -> None:
    overrides = {"killed": word("killed", "model_failure", "fail")}
    mine, other = overridden([KILLED, FAILED], overrides, POLICY)
    assert other is FAILED
    assert mine.row is KILLED.row
    verdict = mine.verdict
    assert (verdict.cause, verdict.family, verdict.counts_as) == ("model_failure", "model", "fail")
    assert (verdict.ceiling_kill, verdict.evidence, verdict.also) == (False, (), ())
    assert verdict.says.startswith("ada says: ")
    before, after = (
        sum(cell.outcomes.infra for cell in tally(rows))
        for rows in (
            [KILLED, FAILED],
            [mine, other],
        )
    )
    assert (before, after) == (1, 0)


def test_what_a_cause_counted_as_when_it_was_said_counts() -> None:
    said = word("failed", "cosmic_ray", "infra_error")
    (mine,) = overridden([FAILED], {"failed": said}, POLICY)
    assert (mine.verdict.family, mine.verdict.counts_as) == ("ambiguous", "infra_error")
    said = word("failed", "cosmic_ray", "a_word_of_later_days")
    (mine,) = overridden([FAILED], {"failed": said}, POLICY)
    assert mine.verdict.counts_as == "fail"


def test_causes_are_in_the_policys_order() -> None:
    assert list(causes_of(POLICY))[:2] == ["cancelled", "none"]
    assert list(causes_of(POLICY))[-1] == POLICY.fallback.cause


def test_a_report_says_whose_verdicts_its_numbers_are() -> None:
    assert sentence(0, counted=True) is None
    assert sentence(1, counted=False) == (
        "1 verdict is overridden by people; numbers are the policy's."
    )
    assert sentence(2, counted=True) == "2 verdicts are people's, in place of the policy's."
