"""docs/troubleshooting.md quotes sentences of the program: each must be one of its own."""

import re

import pytest

from tests.repo.tree import PACKAGES, ROOT, below

TEXT = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
QUOTED = re.findall(r"^\| `([^`]+)` \|", TEXT, re.MULTILINE)


def source() -> str:
    """All code, with the seams between pieces of one literal taken out."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in below(*PACKAGES, suffix=".py"))
    return re.sub(r'"\s*\n\s*f?"', "", text)


@pytest.mark.parametrize("sentence", QUOTED)
def test_a_quoted_sentence_is_in_the_program(sentence: str) -> None:
    code = source()
    for part in sentence.split("..."):
        assert part.strip() in code
