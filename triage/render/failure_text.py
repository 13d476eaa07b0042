"""What one failure shows on a terminal: the quoted lines, the failed tests, and `triage log` as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from triage.model import EvidenceKind, Fault
from triage.render.failure_wording import gap_words, in_log_order, test_words, tested
from triage.render.foreign_text import shown_line, shown_name
from triage.render.screen import INDENT, LABEL
from triage.render.words import literal, plural, prose, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from triage.model import Evidence, Failure
    from triage.render.words import Words

_FAULT_STYLE: Final = {Fault.CODE: "bold red", Fault.UNKNOWN: "bold yellow", Fault.NONE: "green"}
_QUOTES: Final = 8
ITEMS: Final = 10
"""Items of a list that are shown."""


class _Page(Protocol):
    """What is written on: `triage.render.screen` or, without colours, `triage.render.plain`."""

    def read(self) -> str: ...
    def gap(self) -> None: ...
    def title(self, place: str, title: Words, aside: str, *, aside_style: str) -> None: ...
    def entry(self, label: str, words: Words) -> None: ...
    def bullet(self, words: Words, *, indent: int = INDENT) -> None: ...
    def quote(self, lines: Iterable[tuple[str, str, bool]]) -> None: ...


def render_log_terminal(name: str, failure: Failure, *, width: int, colour: bool) -> str:
    """Write what one log file shows: what broke, the lines that say so, the failed tests.

    Args:
        name: Of the file, as the caller gave it.
        failure: What was read from it; its job stands for the file and is not shown.
        width: Columns of the window.
        colour: Whether to write ANSI colours.

    Returns:
        Text that ends in a line break.
    """
    page = _page(width, colour=colour)
    fault = failure.fault
    title = prose(failure.title) or (("no failure found",) if fault is Fault.NONE else ())
    page.title(shown_name(name), title, fault.value, aside_style=_FAULT_STYLE.get(fault, "cyan"))
    lines = [item for item in failure.evidence if item.text.strip()]
    if lines:
        draw_lines(page, lines)
    _tests(page, failure)
    if failure.rule:
        page.entry("rule", (literal(failure.rule.id),))
    for alternative in failure.ruled_out:
        page.entry("ruled out", sentence(prose(alternative)))
    if failure.rule and failure.rule.advice:
        page.entry("next", sentence(prose(failure.rule.advice)))
    for gap in failure.gaps:
        page.entry("not seen", gap_words(gap))
    page.gap()
    return page.read()


def _page(width: int, *, colour: bool) -> _Page:
    if colour:
        from triage.render.screen import Screen

        return Screen(width=width, colour=True)
    from triage.render.plain import PlainScreen

    return PlainScreen(width=width)


def _tests(page: _Page, failure: Failure) -> None:
    tests = failure.tests
    if tests.failures:
        page.entry("tests", (tested(len(tests.failures), tests.ran),))
    elif tests.ran is not None:
        page.entry("tests", (f"{plural(tests.ran, 'test')} ran." if tests.ran else "zero tests ran.",))
    named = [test_words(test) for test in tests.failures]
    draw_bullets(page, named, what="failed test", indent=INDENT + LABEL + 1)
    for left in tests.not_run:
        page.entry("not run", sentence(prose(left)))


def draw_bullets(page: _Page, items: Sequence[Words], *, what: str, indent: int = INDENT) -> None:
    """Draw a list, what exceeds its length counted in a last line."""
    for item in items[:ITEMS]:
        page.bullet(item, indent=indent)
    if len(items) > ITEMS:
        page.bullet((plural(len(items) - ITEMS, f"more {what}"),), indent=indent)


def draw_lines(page: _Page, lines: Sequence[Evidence]) -> None:
    """Quote the deciding lines, best first, in the order of their log."""
    best = lines[0]
    shown = in_log_order(lines[:_QUOTES])
    page.quote((_origin(line), shown_line(line.text), line is best and len(shown) > 1) for line in shown)


def _origin(line: Evidence) -> str:
    return "GitHub" if line.kind is EvidenceKind.ANNOTATION else str(line.line or "")
