"""What a command is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable


class Command(NamedTuple):
    """One word after `triage`: what it takes, and what it does. `run` returns the exit code.

    Attributes:
        libraries_log: Whether libraries are at work that log what goes wrong.
    """

    name: str
    summary: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    libraries_log: bool = True
