"""Every cause has a colour, every colour can be seen on white and on black, no mark twice."""

import pytest

from analysis.verdicts.reading import policy_v1
from ui.palette import CAUSE_HUES, LOOKS, Look, chip, hue_of


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_cause_of_the_policy_has_a_hue_and_no_other_has() -> None:
    policy = policy_v1()
    assert {rule.cause for rule in [*policy.rules, policy.fallback]} == set(CAUSE_HUES)
    assert hue_of("a cause of policy 9") == "unknown"


@pytest.mark.parametrize("look", LOOKS.values(), ids=lambda look: look.words)
def test_colours_can_be_read_on_white_and_on_black(look: Look) -> None:
    assert 1.05 / (luminance(look.colour) + 0.05) >= 3.7
    assert (luminance(look.colour) + 0.05) / 0.05 >= 3.7


def test_marks_tell_causes_apart_without_colour() -> None:
    assert len({look.mark for look in LOOKS.values()}) == len(LOOKS)
    assert chip("oom_container").plain == "M oom_container"
