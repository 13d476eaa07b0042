"""What must be equal for two failures to be the same failure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.model import Signature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.model import TestFailure

VERSION = 1
"""Signatures of different versions are never compared."""

_VARYING = re.compile(r"\b0x[0-9a-f]+\b|\b\d+(?:\.\d+)?(?:s|ms)\b")


def normalise(text: str) -> str:
    """Replace what differs between two runs of one failure by fixed words; doing it twice changes nothing."""
    return " ".join(_VARYING.sub("<x>", text).split())


def signature_of_test(failure: TestFailure) -> Signature | None:
    """Test id, exception type and normalised message; None where the test says nothing of why it failed."""
    message = normalise(failure.message)
    if not failure.exception and not message:
        return None
    return Signature("test", (failure.id, failure.exception or "", message), VERSION)


def signature_of_rule(rule_id: str, captures: Mapping[str, str]) -> Signature:
    """Rule id and its normalised captures, each with its name."""
    return Signature("rule", (rule_id, *(f"{name}={normalise(text)}" for name, text in captures.items())), VERSION)


def signature_of_line(text: str) -> Signature | None:
    """The normalised line; None for wrappers, bare exit codes and lines of which nothing is left."""
    line = normalise(text)
    return Signature("line", (line,), VERSION) if line else None
