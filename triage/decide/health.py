"""Whether triage still understands what it reads. Gone blind, it must not look as if the failures were hard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.decide.sentences import count
from triage.model import Basis, Gap, LogState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import Failure

# Fewer unexplained logs are what a hard case looks like; so many at once, without one that anything fits, are not.
LEAST_LOGS: Final = 5
_HAS_TEXT: Final = frozenset({LogState.READ, LogState.TRUNCATED})
_UNEXPLAINED: Final = frozenset({Basis.GUESS, Basis.NOTHING})


def blindness(failures: Sequence[Failure]) -> Gap | None:
    """Say that nothing in any of the logs was understood, although there are many; None when all is well.

    Jobs that the platform alone explains do not count: their logs had nothing to say.
    """
    asked = [one for one in failures if one.log_state in _HAS_TEXT and one.basis is not Basis.PLATFORM]
    if len(asked) < LEAST_LOGS or any(one.basis not in _UNEXPLAINED for one in asked):
        return None
    return Gap(
        f"what {count(len(asked), 'log')} say",
        "no rule and no test runner explains a single one of them, so triage itself may have gone blind: "
        "a log format may have changed, or what GitHub gave may be no logs",
        is_loud=True,
    )
