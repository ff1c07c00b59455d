"""docs/verdicts.md shows policy 1 as it is: every rule, in its order."""

import re

from analysis.verdicts.reading import policy_v1
from tests.repo.tree import ROOT

ROW = re.compile(r"^\| (?:\d+|–) \| `(\w+)` \| (\w+) \| (\w+) \| `(\w+)` \| (.+) \|$", re.MULTILINE)


def test_every_rule_is_documented_in_its_order() -> None:
    policy = policy_v1()
    shown = ROW.findall((ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8"))
    rules = [*policy.rules, policy.fallback]
    assert shown == [
        (rule.cause, rule.family, rule.confidence, rule.counts_as, rule.says) for rule in rules
    ]
