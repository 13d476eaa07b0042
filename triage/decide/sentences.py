"""How sentences of the report name things: what stands between backticks is literal, everything else is prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def quoted(name: str) -> str:
    """Write a name as something literal; a backtick in it cannot end that."""
    return f"`{name.replace('`', chr(39))}`"


def names(given: Sequence[str], *, most: int = 3) -> str:
    """Enumerate names: `a`, `b` and `c`; past `most` of them the rest is counted."""
    shown = [quoted(name) for name in given[:most]]
    rest = len(given) - len(shown)
    if rest:
        return f"{', '.join(shown)} and {rest} more"
    return " and ".join(part for part in (", ".join(shown[:-1]), *shown[-1:]) if part)


def count(number: int, one: str, many: str = "") -> str:
    """Count things: `1 job`, `21 jobs`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
