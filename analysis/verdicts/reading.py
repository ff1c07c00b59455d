"""Reading a policy from TOML: every mistake is named with its file, rule and remedy.

A policy file is written by people who choose what counts as an infrastructure error, so
the reader is strict: an unknown key is a typing error and not an extension.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, cast, get_args

from analysis.errors import PolicyError
from analysis.verdicts.conditions import parse_condition
from analysis.verdicts.policy import Policy, Rule
from analysis.verdicts.vocabulary import Confidence, CountsAs, Family

_VERSION_1: Final = "policy_v1.toml"
_REQUIRED: Final = frozenset({"cause", "family", "confidence", "counts_as", "says"})
_TOP: Final = frozenset({"name", "version", "fallback", "rule"})
_OPTIONAL: Final = frozenset({"when", "ceiling_kill", "also_only", "in_also"})


def read_policy(text: str, *, where: str) -> Policy:
    """Read a policy from TOML text.

    Args:
        text: the file's content.
        where: its name, for errors.

    Returns:
        The policy.

    Raises:
        PolicyError: it is not TOML, or says something the engine does not know.

    """
    try:
        content: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"not TOML ({error})", where=where) from error
    reader = _Reader(where)
    reader.only(content, _TOP, field="policy")
    name, version = content.get("name"), content.get("version")
    if not isinstance(name, str) or not name:
        raise reader.error("has no name", field="name", value=name, remedy="name the policy")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        remedy = "number versions from 1"
        raise reader.error("is no version", field="version", value=version, remedy=remedy)
    tables = content.get("rule")
    if not isinstance(tables, list) or not tables:
        raise reader.error("has no rules", field="rule", remedy="write [[rule]] tables")
    rules = tuple(
        reader.rule(table, number)
        for number, table in enumerate(cast("list[object]", tables), start=1)
    )
    reader.check_also(rules)
    return Policy(
        name=name,
        version=version,
        digest=_digest(content),
        rules=rules,
        fallback=reader.fallback(content.get("fallback")),
    )


def read_policy_file(path: Path) -> Policy:
    """Read a policy from a file of the user's.

    Raises:
        PolicyError: the file cannot be read, or is no policy.

    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError(f"cannot be read ({error})", where=path) from error
    return read_policy(text, where=str(path))


@cache
def policy_v1() -> Policy:
    """Return the policy that ships with this version."""
    text = resources.files("analysis.verdicts").joinpath(_VERSION_1).read_text(encoding="utf-8")
    return read_policy(text, where=_VERSION_1)


def _digest(content: Mapping[str, object]) -> str:
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


class _Reader:
    """Reads tables of one file, so that every error names it."""

    def __init__(self, where: str) -> None:
        self._where = where

    def error(
        self, problem: str, *, field: str, value: object = None, remedy: str | None = None
    ) -> PolicyError:
        return PolicyError(problem, where=self._where, field=field, value=value, remedy=remedy)

    def only(self, table: Mapping[str, object], known: frozenset[str], *, field: str) -> None:
        for key in table:
            if key not in known:
                remedy = f"known are {', '.join(sorted(known))}"
                raise self.error("unknown key", field=field, value=key, remedy=remedy)

    def rule(self, table: object, number: int) -> Rule:
        entries = self._table(table, field=f"rule {number}")
        field = f"rule {number} ({entries.get('cause')})"
        self.only(entries, _REQUIRED | _OPTIONAL, field=field)
        when = parse_condition(entries.get("when"), where=self._where, field=f"{field}: when")
        also_only = entries.get("also_only")
        return replace(
            self._words(entries, field=field),
            when=when,
            needs=when.names,
            ceiling_kill=self._flag(entries, "ceiling_kill", default=False, field=field),
            also_only=None if also_only is None else self._texts(also_only, field=field),
            in_also=self._flag(entries, "in_also", default=True, field=field),
        )

    def fallback(self, table: object) -> Rule:
        entries = self._table(table, field="fallback")
        self.only(entries, _REQUIRED, field="fallback")
        return self._words(entries, field="fallback")

    def _words(self, entries: Mapping[str, object], *, field: str) -> Rule:
        family = self._word(entries, "family", get_args(Family), field=field)
        confidence = self._word(entries, "confidence", get_args(Confidence), field=field)
        counts_as = self._word(entries, "counts_as", get_args(CountsAs), field=field)
        return Rule(
            cause=self._text(entries, "cause", field=field),
            family=cast("Family", family),
            confidence=cast("Confidence", confidence),
            counts_as=cast("CountsAs", counts_as),
            says=self._text(entries, "says", field=field),
        )

    def check_also(self, rules: tuple[Rule, ...]) -> None:
        causes = {rule.cause for rule in rules}
        for rule in rules:
            unknown = sorted((rule.also_only or frozenset()) - causes)
            if unknown:
                field = f"rule ({rule.cause}): also_only"
                remedy = "name causes of this policy's rules"
                raise self.error("unknown cause", field=field, value=unknown, remedy=remedy)

    def _table(self, value: object, *, field: str) -> dict[str, object]:
        if not isinstance(value, dict):
            raise self.error("is no table", field=field, value=value, remedy="write key = value")
        return cast("dict[str, object]", value)

    def _text(self, entries: Mapping[str, object], key: str, *, field: str) -> str:
        value = entries.get(key)
        if not isinstance(value, str) or not value:
            raise self.error("is no text", field=f"{field}: {key}", value=value, remedy="write it")
        return value

    def _texts(self, value: object, *, field: str) -> frozenset[str]:
        texts = _as_texts(value)
        if texts is None:
            remedy = "write a list of causes"
            raise self.error("no list", field=f"{field}: also_only", value=value, remedy=remedy)
        return texts

    def _flag(self, entries: Mapping[str, object], key: str, *, default: bool, field: str) -> bool:
        value = entries.get(key, default)
        if not isinstance(value, bool):
            remedy = "write true or false"
            raise self.error("is no flag", field=f"{field}: {key}", value=value, remedy=remedy)
        return value

    def _word(
        self, entries: Mapping[str, object], key: str, words: tuple[str, ...], *, field: str
    ) -> str:
        value = entries.get(key)
        if not isinstance(value, str) or value not in words:
            remedy = f"use one of {', '.join(words)}"
            raise self.error("unknown word", field=f"{field}: {key}", value=value, remedy=remedy)
        return value


def _as_texts(value: object) -> frozenset[str] | None:
    if not isinstance(value, list):
        return None
    items = cast("list[object]", value)
    texts = frozenset(item for item in items if isinstance(item, str))
    return texts if all(isinstance(item, str) for item in items) else None
