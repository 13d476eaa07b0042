"""What a repository says of its own CI: `.github/triage.yml` as a value, and what holds where it says nothing.

A lone log has no settings, and making their classes takes a twentieth of its start: so these are loaded when one of
them is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from triage.rules import RuleSet
    from triage.settings.values import (
        BUILT_IN,
        CommandCaps,
        Covered,
        Permit,
        RerunCaps,
        Role,
        Settings,
        WayOut,
        When,
    )
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from triage.settings import values

        return globals().setdefault(name, getattr(values, name))


__all__ = [
    "BUILT_IN",
    "LOOK_BACK_REQUESTS",
    "MOST_FILES",
    "PLACE",
    "CommandCaps",
    "Covered",
    "Permit",
    "RerunCaps",
    "Role",
    "Settings",
    "WayOut",
    "When",
    "load_settings",
    "with_settings",
]

PLACE: Final = ".github/triage.yml"
"""Where the settings stand, on the default branch."""

LOOK_BACK_REQUESTS: Final = 40
"""Requests that comparing may cost at most, where a repository does not say."""

MOST_FILES: Final = 30
"""Requests for files that failing tests import, beside `look_back_requests` and never more than those."""


def load_settings(text: str, path: str = PLACE) -> Settings:
    """Read and check a settings file; see `triage.settings.load`.

    Raises:
        ConfigError: with every mistake found, in file order.
    """
    from triage.settings import load

    return load.load_settings(text, path)


def with_settings(built_in: RuleSet, own: tuple[RuleSet, ...], settings: Settings) -> RuleSet:
    """Return the rules that hold in a repository: its own first, and the built-in ones that it has not disabled."""
    rules = built_in.without(settings.disabled_rules) if settings.disabled_rules else built_in
    for one in reversed(own):
        rules = one.before(rules)
    return rules
