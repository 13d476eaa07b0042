"""Patterns that are compiled when they are first asked."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import triage
from triage.regex import regex

ROOT = Path(triage.__file__).parent


def test_a_pattern_answers_as_a_compiled_one_does() -> None:
    pattern = regex(r"(?P<word>a+)b", re.IGNORECASE)

    assert pattern.search("xAAb") is not None
    assert pattern.sub("-", "aab AB") == "- -"
    assert pattern.pattern == r"(?P<word>a+)b"
    assert dict(pattern.groupindex) == {"word": 1}


def test_a_pattern_is_not_compiled_before_it_is_asked() -> None:
    wrong = regex("(")

    with pytest.raises(re.error):
        wrong.search("text")


def test_every_pattern_of_the_product_can_be_compiled() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        if "triage.regex import" in path.read_text(encoding="utf-8"):
            import_module(".".join(("triage", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"))
    kind = type(regex(""))
    patterns = [
        held
        for name, module in list(sys.modules.items())
        if name.startswith("triage.")
        for value in vars(module).values()
        for held in (value if isinstance(value, tuple) else (value,))
        if isinstance(held, kind)
    ]

    assert len(patterns) > 150
    assert all(isinstance(pattern.pattern, str) for pattern in patterns)
