"""The report for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.model import Category, Rerun, Verdict
from triage.render import cause_wording, findings, ledger, wording
from triage.render.failure_text import ITEMS, draw_bullets, draw_lines
from triage.render.failure_wording import gap_words, test_words
from triage.render.foreign_text import shown_name
from triage.render.screen import INDENT, LABEL, QUIET, Screen
from triage.render.words import capitalised, prose, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import Evidence, Report
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
        for finding in findings.findings_of(row, names=_NAMES, facts=ITEMS):
            screen.entry(finding.label, finding.words)
            for link in finding.links:
                screen.address(link.url, indent=INDENT + LABEL + 1)
        self._next(row)
        screen.gap()

    def _tests(self, row: Row) -> None:
        screen, tests = self._screen, row.failed_tests
        if row.lines and (tests or row.not_run):
            screen.gap()
        draw_bullets(screen, [test_words(test) for test in tests], what="failed test")
        draw_bullets(screen, [sentence(prose(left)) for left in row.not_run], what="remainder")

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
            draw_bullets(screen, silent, what="reason")
            draw_bullets(screen, covered, what="changed file")
            screen.gap()

    def _gaps(self) -> None:
        if self._report.gaps:
            _section(self._screen, "What could not be seen")
            draw_bullets(self._screen, [gap_words(gap) for gap in self._report.gaps], what="thing")
            self._screen.gap()


def _section(screen: Screen, title: str) -> None:
    from rich.text import Text

    screen.headline(Text(title, style="bold"), Text(""))


def _quote(screen: Screen, lines: Sequence[Evidence]) -> None:
    """Draw the deciding lines, and where the first of them can be opened."""
    if not lines:
        return
    screen.gap()
    draw_lines(screen, lines)
    screen.address(lines[0].url, indent=INDENT + 2)


def _joined(parts: Sequence[Words]) -> Words:
    return tuple(piece for index, part in enumerate(parts) for piece in ((" · ",) if index else ()) + part)
