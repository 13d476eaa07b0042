"""Regular expressions of Python's `re` that are compiled when they are first asked.

There are hundreds in the readers and classifiers, and one log needs few: compiling all of them took a sixth of the
start.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Later:
    """Stands for a compiled pattern; each of its methods is the pattern's own from the first use on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._given = (pattern, flags)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a compiled pattern has
        value = getattr(re.compile(*self._given), name)
        setattr(self, name, value)
        return value


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what behaves as `re.compile(pattern, flags)` and costs nothing until it is asked for anything.

    A mistake in the pattern shows at the first use; a test compiles those of all modules. `re` of a match is the
    compiled pattern, not what is returned here.
    """
    return cast("re.Pattern[str]", _Later(pattern, flags))
