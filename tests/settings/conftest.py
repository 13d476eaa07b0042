from __future__ import annotations

import pytest

from triage.rules import builtin_rules


@pytest.fixture
def any_rule() -> str:
    """The id of a built-in rule, whichever."""
    return builtin_rules().rules[0].id
