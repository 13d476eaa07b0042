"""Machines by their names."""

from __future__ import annotations

import re

_HOSTED = re.compile(r"(?:GitHub[ -]Actions|Hosted Agent)\b")


def is_hosted(runner: str) -> bool:
    """Whether the machine is GitHub's own: these have a new name each time, so nobody could mend it."""
    return _HOSTED.match(runner) is not None
