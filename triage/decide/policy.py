"""The policy as Markdown tables, made from the tables that decide: `docs/categories.md` shows nothing else.

Print it with `python -m triage.decide.policy`.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from triage.decide.advice import RERUNS
from triage.decide.causes import ORDER
from triage.decide.checks import CHECKS
from triage.decide.drivers import CI_FILES, DRIVERS, SCRIPTS, TEST_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence


def policy() -> str:
    """Return all tables, each under its heading."""
    parts = (
        ("Checks, in order; the first that answers wins", checks_table()),
        ("What voids an excuse", drivers_table()),
        ("Whether a re-run can help, in order; the first row that holds speaks", reruns_table()),
        ("The order in which causes are told", ", ".join(f"`{category.value}`" for category in ORDER) + "."),
    )
    return "\n".join(f"### {heading}\n\n{body}\n" for heading, body in parts)


def checks_table() -> str:
    """Return the checks in their order, with the category each can give and when it does."""
    rows = [(str(place), f"`{check.__name__}`", _first_line(check)) for place, check in enumerate(CHECKS, start=1)]
    return _table(("#", "check", "answers when"), rows)


def drivers_table() -> str:
    """Return which changed files void an excuse for what."""
    rows = [
        ("any step", "the run's own workflow file, and the local actions and workflows that the job uses"),
        ("any step of a job whose commands are known", "files the commands name, and scripts beside or above those"),
        ("any step, the workflow file not read", _code(CI_FILES + SCRIPTS)),
        ("anything in a job that runs tests", f"what tests share, and {_code(TEST_SETTINGS)}"),
        ("a test whose own error is a machine's", "its file, and the files its traceback leads through"),
        *((driver.failed, _code(driver.globs)) for driver in DRIVERS),
    ]
    return _table(("what failed", "void when the change touches"), rows)


def reruns_table() -> str:
    """Return the re-run table."""
    rows = [
        (str(place), row.when, row.rerun.value if row.rerun else "as the rule says")
        for place, row in enumerate(RERUNS, start=1)
    ]
    return _table(("#", "cause", "a re-run"), rows)


def _first_line(check: object) -> str:
    return (inspect.getdoc(check) or "").partition("\n")[0]


def _code(globs: tuple[str, ...]) -> str:
    return ", ".join(f"`{glob}`" for glob in globs)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


if __name__ == "__main__":
    print(policy(), end="")  # noqa: T201 - this is what running it is for
