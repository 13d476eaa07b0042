"""The report for a terminal, and what `triage log` prints about a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.model import Category, EvidenceKind, Fault, Rerun, Verdict
from triage.render import cause_wording, findings, ledger, wording
from triage.render.foreign_text import shown_line, shown_name
from triage.render.screen import INDENT, LABEL, QUIET, Screen
from triage.render.words import capitalised, literal, plural, prose, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import Evidence, Failure, Report
    from triage.render.ledger import Row
    from triage.render.words import Words

_VERDICT_STYLE: Final = {
    Verdict.NO_FAILURES: "green",
    Verdict.NOT_CAUSED_BY_PR: "green",
    Verdict.CAUSED_BY_PR: "red",
    Verdict.NEEDS_ATTENTION: "yellow",
    Verdict.INCOMPLETE: "yellow",
}
_CATEGORY_STYLE: Final = {
    Category.REGRESSION: "bold red",
    Category.UNKNOWN: "bold yellow",
    Category.MISSING_LABEL: "magenta",
    Category.INFRASTRUCTURE: "cyan",
    Category.GPU_RESIDUE: "cyan",
    Category.STARVED: "cyan",
    Category.PRE_EXISTING: "green",
    Category.FLAKY: "yellow",
    Category.CASCADE: QUIET,
    Category.CANCELLED: QUIET,
}
_RERUN_STYLE: Final = {Rerun.HELPS: "green", Rerun.POINTLESS: QUIET, Rerun.UNKNOWN: "yellow"}
_FAULT_STYLE: Final = {Fault.CODE: "bold red", Fault.UNKNOWN: "bold yellow", Fault.NONE: "green"}
_QUOTES: Final = 8
_ITEMS: Final = 10
_NAMES: Final = 12
_WIDE: Final = 110


def render_terminal(report: Report, *, width: int, colour: bool) -> str:
    """Write the report for a terminal.

    Args:
        report: What to say.
        width: Columns of the window. Text is wrapped to it, at most `screen.WIDEST`; addresses and commands are not
            wrapped, so that they can be opened and copied.
        colour: Whether to write ANSI colours; these are the only escape sequences that ever come out.

    Returns:
        Text that ends in a line break.
    """
    return _Page(report, Screen(width=width, colour=colour)).read()


class _Page:
    """The report, drawn on one screen."""

    def __init__(self, report: Report, screen: Screen) -> None:
        self._report = report
        self._screen = screen
        self._rows = ledger.rows_of(report)

    def read(self) -> str:
        """Draw everything and return it."""
        self._top()
        self._ledger()
        for row in self._rows:
            self._cause(row)
        self._silence()
        self._gaps()
        self._screen.paragraph(_joined(wording.foot(self._report)), style=QUIET)
        return self._screen.read()

    def _top(self) -> None:
        from rich.box import ROUNDED
        from rich.panel import Panel
        from rich.text import Text

        report, screen = self._report, self._screen
        style = _VERDICT_STYLE[report.verdict]
        headline = screen.text(capitalised(wording.headline(report)), style=f"bold {style}")
        lines = [headline, screen.text(wording.summary(report))]
        screen.draw(
            Panel(
                Text("\n").join(line for line in lines if line.plain),
                title=Text(self._subject(), style=QUIET),
                title_align="left",
                border_style=style,
                box=ROUNDED,
                width=screen.width,
            )
        )
        notes = (
            ("unfinished", wording.still_running(report, most=_NAMES)),
            ("to do", wording.to_do_line(report, self._rows)),
            ("re-run", wording.rerun_line(self._rows) if self._rows else ()),
            ("not tested", wording.never_covered(report, most=_NAMES)),
            ("not seen", wording.unseen_line(report, place="end")),
        )
        for label, words in notes:
            if words:
                screen.entry(label, words)

    def _subject(self) -> str:
        pull = f" #{self._report.pull.number}" if self._report.pull else ""
        return f"CI triage · {shown_name(self._report.repository.full_name)}{pull}"

    def _ledger(self) -> None:
        """Draw a row for each cause; the numbers of jobs add up to the last line."""
        if not self._rows:
            self._screen.gap()
            return
        from rich.box import SIMPLE
        from rich.table import Table
        from rich.text import Text

        screen = self._screen
        wide = screen.width >= _WIDE
        table = Table(
            box=SIMPLE,
            show_footer=True,
            pad_edge=False,
            padding=(0, 2, 0, 0),
            width=screen.width,
            border_style=QUIET,
        )
        table.add_column("  #", justify="right", no_wrap=True, style=QUIET, header_style=QUIET)
        table.add_column("what broke", ratio=3, overflow="fold", header_style=QUIET)
        table.add_column("category", no_wrap=True, header_style=QUIET)
        table.add_column("jobs", f"{len(self._report.jobs):,}", no_wrap=True, header_style=QUIET, footer_style="bold")
        if wide:
            table.add_column("seen on", ratio=2, overflow="fold", header_style=QUIET)
        table.add_column("re-run", no_wrap=True, header_style=QUIET)
        for row in self._rows:
            cause = row.cause
            table.add_row(
                str(cause.id),
                screen.text(cause_wording.title_of(row)),
                Text(wording.CATEGORY[cause.category], style=_CATEGORY_STYLE[cause.category]),
                cause_wording.jobs_of(row),
                *((screen.text(cause_wording.seen_on(row, self._report)),) if wide else ()),
                Text(findings.RERUN[cause.rerun], style=_RERUN_STYLE[cause.rerun]),
            )
        screen.draw(table)

    def _cause(self, row: Row) -> None:
        from rich.text import Text

        screen, cause = self._screen, row.cause
        title = Text.assemble((f"{cause.id} · ", QUIET), screen.text(cause_wording.title_of(row), style="bold"))
        screen.headline(title, Text(wording.CATEGORY[cause.category], style=_CATEGORY_STYLE[cause.category]))
        died = cause_wording.where_it_died(row, most=_NAMES)
        because = cause_wording.because_of(row)
        screen.paragraph((*died, *((" ",) if died and because else ()), *because))
        if proof := findings.proof_of(row):
            screen.address(proof.url, indent=INDENT)
        _quote(screen, row.lines)
        self._tests(row)
        screen.gap()
        for finding in findings.findings_of(row, names=_NAMES, facts=_ITEMS):
            screen.entry(finding.label, finding.words)
            for link in finding.links:
                screen.address(link.url, indent=INDENT + LABEL + 1)
        self._next(row)
        screen.gap()

    def _tests(self, row: Row) -> None:
        screen, tests = self._screen, row.failed_tests
        if row.lines and (tests or row.not_run):
            screen.gap()
        _bullets(screen, [cause_wording.test_words(test) for test in tests], what="failed test")
        _bullets(screen, [sentence(prose(left)) for left in row.not_run], what="remainder")

    def _next(self, row: Row) -> None:
        words, commands = cause_wording.way_out(row)
        if words:
            self._screen.entry("next", words)
        for command in commands:
            self._screen.command(command, indent=INDENT + LABEL + 1)

    def _silence(self) -> None:
        """Draw what gave no signal, and which of it covers the change."""
        report, screen = self._report, self._screen
        silent, covered = wording.silence(report, most=_NAMES), wording.coverage(report, most=_NAMES)
        if silent or covered:
            _section(screen, wording.silence_title(report))
            _bullets(screen, silent, what="reason")
            _bullets(screen, covered, what="changed file")
            screen.gap()

    def _gaps(self) -> None:
        if self._report.gaps:
            _section(self._screen, "What could not be seen")
            _bullets(self._screen, [wording.gap_words(gap) for gap in self._report.gaps], what="thing")
            self._screen.gap()


def _bullets(screen: Screen, items: Sequence[Words], *, what: str, indent: int = INDENT) -> None:
    """Draw a list, what exceeds its length counted in a last line."""
    for item in items[:_ITEMS]:
        screen.bullet(item, indent=indent)
    if len(items) > _ITEMS:
        screen.bullet((plural(len(items) - _ITEMS, f"more {what}"),), indent=indent)


def _section(screen: Screen, title: str) -> None:
    from rich.text import Text

    screen.headline(Text(title, style="bold"), Text(""))


def _quote(screen: Screen, lines: Sequence[Evidence]) -> None:
    """Draw the deciding lines, and where the first of them can be opened."""
    if not lines:
        return
    screen.gap()
    _draw_lines(screen, lines)
    screen.address(lines[0].url, indent=INDENT + 2)


def _draw_lines(screen: Screen, lines: Sequence[Evidence]) -> None:
    best = lines[0]
    shown = ledger.in_log_order(lines[:_QUOTES])
    screen.quote((_origin(line), shown_line(line.text), line is best and len(shown) > 1) for line in shown)


def _origin(line: Evidence) -> str:
    return "GitHub" if line.kind is EvidenceKind.ANNOTATION else str(line.line or "")


def _joined(parts: Sequence[Words]) -> Words:
    return tuple(piece for index, part in enumerate(parts) for piece in ((" · ",) if index else ()) + part)


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
    from rich.text import Text

    screen = Screen(width=width, colour=colour)
    fault = failure.fault
    title = prose(failure.title) or (("no failure found",) if fault is Fault.NONE else ())
    screen.headline(
        Text.assemble((f"{shown_name(name)} · ", QUIET), screen.text(title, style="bold")),
        Text(fault.value, style=_FAULT_STYLE.get(fault, "cyan")),
    )
    lines = [item for item in failure.evidence if item.text.strip()]
    if lines:
        _draw_lines(screen, lines)
    _log_tests(screen, failure)
    if failure.rule:
        screen.entry("rule", (literal(failure.rule.id),))
    for alternative in failure.ruled_out:
        screen.entry("ruled out", sentence(prose(alternative)))
    if failure.rule and failure.rule.advice:
        screen.entry("next", sentence(prose(failure.rule.advice)))
    for gap in failure.gaps:
        screen.entry("not seen", wording.gap_words(gap))
    screen.gap()
    return screen.read()


def _log_tests(screen: Screen, failure: Failure) -> None:
    tests = failure.tests
    if tests.failures:
        screen.entry("tests", (cause_wording.tested(len(tests.failures), tests.ran),))
    elif tests.ran is not None:
        screen.entry("tests", (f"{plural(tests.ran, 'test')} ran." if tests.ran else "zero tests ran.",))
    named = [cause_wording.test_words(test) for test in tests.failures]
    _bullets(screen, named, what="failed test", indent=INDENT + LABEL + 1)
    for left in tests.not_run:
        screen.entry("not run", sentence(prose(left)))
