"""What Live says of a moment: the sentence for each state, the rate, the pace, what is left."""

from dataclasses import replace

import pytest

from store.pages.live import CampaignRow, ProgressRow, Span
from ui.explorer.moment import Moment, infra, notes, pace, sentence

S = 1_000_000
T0 = 1_795_000_000 * S

CAMPAIGN = CampaignRow(
    sweep="s",
    name="n",
    trials=288,
    source="r1",
    concurrency=20,
    started_t_us=T0,
    finished_t_us=None,
    finished_reason=None,
)
PROGRESS = ProgressRow(
    begun=60,
    ended=40,
    lately=40,
    judged=38,
    counted=36,
    infra=9,
    suspects=2,
    passed=20,
    policy_version=1,
)
RUNNING = Moment(
    now_us=T0 + 60 * S,
    campaign=CAMPAIGN,
    alive=True,
    span=Span(begun=20, first_t_us=T0, last_t_us=T0),
    lanes=(),
    progress=PROGRESS,
    kills=(),
    hosts=(),
)
NOTHING = Span(begun=0, first_t_us=None, last_t_us=None)


def test_a_running_sweep_says_how_far_and_how_long() -> None:
    assert RUNNING.per_minute == 40
    assert pace(RUNNING) == "40.0"
    assert sentence(RUNNING) == (
        "40 of 288 trials have ended; 20 run now, and about 6 min 12 s are left"
    )


def test_without_outcomes_nothing_is_promised() -> None:
    young = replace(RUNNING, progress=replace(PROGRESS, lately=0, ended=0))
    assert (young.left_s, pace(young)) == (None, "–")
    assert sentence(young) == "0 of 288 trials have ended; 20 run now"


@pytest.mark.parametrize(
    ("moment", "state", "said"),
    [
        (
            replace(RUNNING, alive=False, span=replace(RUNNING.span, begun=12)),
            "gone",
            "12 tries began and their runner is gone; 40 of 288 trials have ended",
        ),
        (
            replace(RUNNING, alive=False, span=NOTHING),
            "gone",
            "The runner is gone; 40 of 288 trials have ended",
        ),
        (
            replace(RUNNING, alive=False, span=NOTHING, campaign=replace(CAMPAIGN, source=None)),
            "planned",
            "Nothing has begun yet: 288 trials are planned",
        ),
        (
            replace(
                RUNNING,
                alive=False,
                span=NOTHING,
                campaign=replace(
                    CAMPAIGN, finished_t_us=T0 + 50 * S, finished_reason="stopped_by_user"
                ),
            ),
            "ended",
            "Nothing runs: 40 of 288 trials have ended; the user stopped it 10.0 s ago",
        ),
    ],
)
def test_each_state_has_its_sentence(moment: Moment, state: str, said: str) -> None:
    assert (moment.state, sentence(moment)) == (state, said)


def test_a_resumed_campaign_runs_although_the_last_one_ended() -> None:
    again = replace(CAMPAIGN, finished_t_us=T0, finished_reason="stopped_by_user")
    assert replace(RUNNING, campaign=again).state == "running"


def test_what_is_not_judged_yet_is_said() -> None:
    assert "2 outcomes are not judged yet" in notes(RUNNING)
    assert "computed under policy 1" in notes(RUNNING)


def test_the_rate_has_its_n_and_a_bound_for_every_look() -> None:
    rate = infra(PROGRESS)
    assert rate.value == "25.0%"
    assert rate.says.startswith("9 of 36 judged outcomes; ")
    assert rate.says.endswith("(anytime 95%); 2 more suspected")


def test_without_a_judged_outcome_there_is_no_rate() -> None:
    assert infra(replace(PROGRESS, counted=0, infra=0)).value == "–"
