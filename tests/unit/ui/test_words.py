"""What a person types becomes an event, or a sentence that says what would."""

from dataclasses import replace

import pytest

from analysis.overriding import causes_of
from analysis.verdicts.reading import policy_v1
from barograph.envelope import Belongs
from barograph.errors import BarographError, ExitCode, NotFoundError
from barograph.facts import NoteAdded, VerdictOverridden
from barograph.words import WordsError
from store.reader import Reader
from tests.told import FINISHED, Told, started
from ui.words import About, Override, login, note, override, parsed_moment

FAILED = replace(FINISHED, rewards={"reward": 0.0}, verifier_ran=True)
NOW = 1_796_000_000_000_000


def told() -> Told:
    """A trial whose first try was cancelled, whose second counts and whose third runs."""
    cancelled = replace(FINISHED, how="cancelled")
    said = Told().say(started()).say(cancelled)
    return said.say(started(), try_no=2).say(FAILED, try_no=2).say(started(), try_no=3)


def overriding(said: Told, **changes: object) -> Override:
    given: dict[str, object] = {
        "trial": "sort",
        "cause": "network",
        "text": "The switch was off.",
        "author": "ada",
    }
    reader = Reader(said.store())
    return override(reader, policy_v1(), **(given | changes))  # type: ignore[arg-type]  # the test's own


def test_an_override_is_of_the_try_that_counts_and_says_what_it_counts_as() -> None:
    made = overriding(told())
    assert made.belongs == Belongs(sweep="s1", trial="t1", try_no=2)
    assert (made.payload.cause, made.payload.counts_as) == ("network", "infra_error")
    assert overriding(told(), try_no=1).belongs.try_no == 1


@pytest.mark.parametrize("cause", list(causes_of(policy_v1())))
def test_every_cause_of_the_policy_can_be_said(cause: str) -> None:
    assert overriding(told(), cause=cause).payload.counts_as is not None


@pytest.mark.parametrize(
    ("changes", "code", "sentence"),
    [
        ({"trial": "nothing"}, ExitCode.NOT_FOUND, "no such trial"),
        ({"cause": "bad luck"}, ExitCode.INPUT, "no such cause; use one of cancelled, none"),
        ({"text": ""}, ExitCode.INPUT, "text: is empty"),
        ({"text": "x" * 10_000}, ExitCode.INPUT, "has 10,000 characters"),
        ({"text": "\x07"}, ExitCode.INPUT, "cannot be printed"),
        ({"author": " "}, ExitCode.INPUT, "author: is empty"),
        ({"try_no": 3}, ExitCode.NOT_FOUND, "has not ended, so it has no verdict yet"),
        ({"try_no": 9}, ExitCode.NOT_FOUND, "no such try; its last is 3"),
        ({"cause": None}, ExitCode.NOT_FOUND, "overrides nothing here"),
    ],
)
def test_an_override_that_cannot_be_made(
    changes: dict[str, object], code: ExitCode, sentence: str
) -> None:
    with pytest.raises(BarographError, match=sentence) as caught:
        overriding(told(), **changes)
    assert caught.value.exit_code == code


def test_who_said_something_can_take_it_back_and_nobody_else() -> None:
    payload = VerdictOverridden(author="ada", text="so", cause="network", counts_as="infra_error")
    said = told().say(payload, try_no=2)
    made = overriding(said, cause=None, text="I was wrong.")
    assert (made.payload.cause, made.payload.counts_as) == (None, None)
    with pytest.raises(NotFoundError, match="overrides nothing here"):
        overriding(said, cause=None, author="bob")
    with pytest.raises(NotFoundError, match="overrides nothing here"):
        overriding(said.say(made.payload, try_no=2), cause=None)


def noted(about: About, text: str = "Slow.") -> tuple[NoteAdded, Belongs, str]:
    made = note(Reader(told().store()), about, text=text, author="ada", now_us=NOW)
    return made.payload, made.belongs, made.about


def test_a_note_is_on_a_trial_a_host_or_a_time() -> None:
    payload, belongs, about = noted(About(trial="t1"))
    assert (belongs.trial, belongs.try_no, payload.host) == ("t1", None, None)
    assert about == "trial t1 (sort/brute/1x/1)"
    payload, belongs, about = noted(About(trial="t1", try_no=2))
    assert belongs.try_no == 2
    payload, belongs, about = noted(About(host="h1", start="2026-11-29 22:00", end="2026-11-30"))
    assert (belongs, payload.host) == (Belongs(), "h1")


def test_a_time_without_an_end_ends_now() -> None:
    payload, _, about = noted(About(start="2026-11-29T22:00+02:00"))
    assert payload.from_t_us == parsed_moment("2026-11-29T20:00", "from")
    assert payload.to_t_us == NOW
    assert about.startswith("2026-11-29 20:00:00 UTC to ")


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        (About(), "is about nothing"),
        (About(host="elsewhere"), "no trial ran on that host.* there are: h1"),
        (About(trial="nothing"), "no such trial"),
        (About(trial="t1", try_no=4), "no such try"),
        (About(host="h1", try_no=1), "name the trial, too"),
        (About(end="2026-11-29"), "give its beginning, too"),
        (About(start="yesterday"), "is no moment; write it as"),
        (About(start="2026-11-29", end="2026-11-28"), "ends before it begins"),
        (About(start="9" * 10_000), "is no moment"),
    ],
)
def test_a_note_that_cannot_be_made(about: About, sentence: str) -> None:
    with pytest.raises(BarographError, match=sentence) as caught:
        noted(about)
    assert len(str(caught.value)) < 400


def test_a_login_name_is_a_name() -> None:
    assert login()
    with pytest.raises(WordsError):
        noted(About(trial="t1"), text="")
