"""Verdicts: why a trial ended as it did, by a versioned policy applied to evidence.

``policy_v1.toml`` holds the ordered rules, ``vocabulary`` the facts and words they may
use, ``conditions`` the language, ``reading`` the strict reader, ``engine`` the function
``judge(policy, evidence)``, ``outcomes`` what a verdict counts as in a rate.
"""
