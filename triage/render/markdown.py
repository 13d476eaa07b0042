"""The report as Markdown: the comment on the pull request.

The first line is what an e-mail shows, the table is what a maintainer reads, the blocks are the proof. It is written at
the finest grain that fits: first blocks are folded, then lists are shortened, then what is left is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from triage.render import cause_wording, findings, ledger, wording
from triage.render.commands import with_commands
from triage.render.failure_wording import gap_words, in_log_order, test_words
from triage.render.foreign_text import shown_line
from triage.render.markdown_text import Markup, fence
from triage.render.words import Code, listed, plural, prose, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from triage.model import Report
    from triage.render.findings import Finding
    from triage.render.ledger import Row
    from triage.render.words import Words

# GitHub refuses bodies over 65,536 "characters" and does not say which kind; this many bytes are fewer of any kind.
COMMENT_LIMIT: Final = 60_000
TITLE: Final = "CI triage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grain:
    """How much is written: at most so many of each.

    Attributes:
        opened: How many of the author's causes stand open.
        rows: Rows of the table; the causes beyond are counted in a last row.
        blocks: Causes with a block of their own.
        quotes: Deciding lines a cause, each at most `quote_length` characters long.
        items: Facts, failed tests, gaps: bullets a list.
        names: Job names in one enumeration.
    """

    opened: int
    rows: int
    blocks: int
    quotes: int
    quote_length: int
    items: int
    names: int


GRAINS: Final = (
    Grain(opened=5, rows=100, blocks=100, quotes=12, quote_length=500, items=12, names=40),
    Grain(opened=0, rows=100, blocks=100, quotes=6, quote_length=300, items=6, names=12),
    Grain(opened=0, rows=60, blocks=60, quotes=3, quote_length=200, items=4, names=6),
    Grain(opened=0, rows=100, blocks=30, quotes=2, quote_length=200, items=3, names=4),
    Grain(opened=0, rows=40, blocks=20, quotes=2, quote_length=160, items=2, names=3),
    Grain(opened=0, rows=20, blocks=5, quotes=1, quote_length=120, items=1, names=2),
    Grain(opened=0, rows=10, blocks=0, quotes=0, quote_length=0, items=1, names=1),
    Grain(opened=0, rows=0, blocks=0, quotes=0, quote_length=0, items=0, names=0),
)


def render_markdown(report: Report, *, marker: str = "", limit: int = COMMENT_LIMIT, commands: bool = True) -> str:
    """Write the report as GitHub Markdown.

    Args:
        report: What to say.
        marker: The hidden line by which the comment is found again; written first, as given.
        limit: Most UTF-8 bytes of the whole. From 4,000 on, whatever the report holds, at least headline, counts and
            foot fit; below that only the headline may be left.
        commands: Whether comment commands are answered where it is read: then next steps are told as such.

    Returns:
        Text that ends in a line break, with every fence and every `<details>` closed.
    """
    told = with_commands(report) if commands else report
    rows = ledger.rows_of(told)
    for grain in GRAINS:
        text = _Comment(told, rows, grain, commands=commands).text(marker)
        if len(text.encode()) <= limit:
            return text
    return _assembled([marker, f"### {TITLE}: {report.verdict.value}"])


def render_cause(report: Report, number: int, *, limit: int = COMMENT_LIMIT) -> str:
    """Write one cause with all its proof, unfolded; empty when the report has no such cause."""
    report = with_commands(report)
    rows = tuple(row for row in ledger.rows_of(report) if row.cause.id == number)
    for grain in GRAINS:
        comment = _Comment(report, rows, replace(grain, opened=1))
        text = _assembled(comment.blocks())
        if len(text.encode()) <= limit:
            return text
    return ""


def markup_of(report: Report) -> Markup:
    """Return what writes words for this report's repository and pull request."""
    repository = report.repository
    address = repository.url or f"https://github.com/{repository.full_name}"
    return Markup(address, own_pull=report.pull.number if report.pull else None)


class _Comment:
    """One comment at one grain."""

    def __init__(self, report: Report, rows: tuple[Row, ...], grain: Grain, *, commands: bool = True) -> None:
        self._report = report
        self._commands = commands
        self._rows = rows
        self._grain = grain
        self._markup = markup_of(report)

    def text(self, marker: str) -> str:
        """Put the parts together, a blank line between them."""
        untold = self._untold()
        end = (*self._silence(), *self._gaps(), self._foot())
        return _assembled([marker, *self._top(), *self._table(), *self.blocks(), untold, *end])

    def blocks(self) -> Iterable[str]:
        """Yield the proof of each cause."""
        for place, row in enumerate(self._rows[: self._grain.blocks]):
            yield from self._block(place, row)

    # ----------------------------------------------------------------------------------------------------------------
    # The first ten seconds

    def _top(self) -> Iterable[str]:
        report, write = self._report, self._markup.words
        yield f"### {TITLE}: {write(wording.headline(report))}"
        yield write(wording.summary(report))
        yield from self._notes()

    def _notes(self) -> Iterable[str]:
        """Yield what to do and what to know, a line each."""
        report, most = self._report, self._grain.names
        if not most:
            return
        lines = [
            ("Not finished", wording.still_running(report, most=most)),
            ("To do", wording.to_do_line(report, self._rows)),
            ("Re-run", self._rerun()),
            ("Not tested", wording.never_covered(report, most=most)),
            ("Not seen", wording.unseen_line(report, place="foot")),
        ]
        written = [f"**{label}:** {self._markup.words(words)}" for label, words in lines if words]
        if written:
            yield "\\\n".join(written)

    def _rerun(self) -> Words:
        if not self._rows:
            return ()
        command = wording.rerun_command(self._rows)
        words = wording.rerun_line(self._rows)
        return (*words, " ", Code(command)) if command else words

    def _table(self) -> Iterable[str]:
        if not self._rows:
            return
        shown = self._rows[: self._grain.rows]
        spelt = next((row for row in shown if row.followers), None)
        lines = [
            f"| | what broke | jobs ({len(self._report.jobs):,}) | seen on | re-run |",
            "| --: | :-- | :-- | :-- | :-- |",
        ]
        lines += [self._table_row(row, _that_follow(row) if row is spelt else "") for row in shown]
        rest = self._rows[len(shown) :]
        if rest:
            jobs = sum(row.size for row in rest)
            lines.append(
                f"| | {'and ' if shown else ''}{plural(len(rest), 'more cause' if shown else 'cause')} | {jobs:,} | | |"
            )
        yield "\n".join(lines)

    def _table_row(self, row: Row, what_second: str) -> str:
        """Write one row; `what_second` says what the second number of jobs is."""
        cell = self._markup.cell
        cause = row.cause
        category = wording.CATEGORY[cause.category]
        title = cell(cause_wording.title_of(row))
        cells = (
            str(cause.id),
            f"**{title}** · {category}",
            f"{cause_wording.jobs_of(row)}{what_second}",
            cell(cause_wording.seen_on(row, self._report)),
            cell(findings.rerun_cell(row)),
        )
        return f"| {' | '.join(cells)} |"

    # ----------------------------------------------------------------------------------------------------------------
    # The proof

    def _block(self, place: int, row: Row) -> Iterable[str]:
        number, title = f"{row.cause.id} · ", cause_wording.title_of(row)
        if place < self._grain.opened and (row.is_open or len(self._rows) == 1):
            yield f"#### {self._markup.words((number, *title))}"
            yield from self._proof(row)
            return
        about = f"{wording.CATEGORY[row.cause.category]}, {plural(row.size, 'job')}"
        yield f"<details><summary>{number}<b>{self._markup.summary(title)}</b> · {about}</summary>"
        yield from self._proof(row)
        yield "</details>"

    def _untold(self) -> str:
        rest = len(self._rows) - self._grain.blocks
        return f"{plural(rest, 'more cause')}: see the JSON report." if rest > 0 else ""

    def _proof(self, row: Row) -> Iterable[str]:
        grain, write = self._grain, self._markup.words
        quoted = in_log_order(row.lines[: grain.quotes])
        places = write(cause_wording.places(quoted))
        died = write(cause_wording.where_it_died(row, most=grain.names))
        because = write(cause_wording.because_of(row))
        proof = findings.proof_of(row)
        checked = "; ".join(part for part in (write((proof,)) if proof else "", places) if part)
        yield " ".join(part for part in (died, because, f"({checked})" if checked else "") if part)
        if quoted:
            yield fence([shown_line(line.text, limit=grain.quote_length) for line in quoted])
        yield self._findings(row)
        yield from self._way_out(row)

    def _findings(self, row: Row) -> str:
        tests = [test_words(test) for test in row.failed_tests]
        left = [sentence(prose(left)) for left in row.not_run]
        items = self._grain.items
        found = findings.findings_of(row, names=self._grain.names, facts=items)
        lists = (
            self._bullets(tests, most=items, what="failed test"),
            self._bullets(left, most=items, what="remainder"),
            self._bullets([_with_link(finding) for finding in found], most=len(found)),
        )
        return "\n".join(part for part in lists if part)

    def _way_out(self, row: Row) -> Iterable[str]:
        """Yield what to do about it, each command in a block of its own, where GitHub puts a button to copy it."""
        words, commands = cause_wording.way_out(row)
        if words:
            yield f"**Next:** {self._markup.words(words)}"
        for command in commands[: max(1, self._grain.items)]:
            yield fence([command])

    def _bullets(self, items: Sequence[Words], *, most: int, what: str = "") -> str:
        """Write a list, what exceeds `most` counted in a last bullet; empty when there is nothing."""
        lines = [f"- {self._markup.words(item)}" for item in items[:most]]
        if len(items) > most:
            lines.append(f"- {plural(len(items) - most, f'more {what}')}")
        return "\n".join(lines)

    # ----------------------------------------------------------------------------------------------------------------
    # The foot

    def _silence(self) -> Iterable[str]:
        """Yield what gave no signal, and which of it covers the change."""
        report = self._report
        names, items = self._grain.names, self._grain.items
        lists = (
            self._bullets(wording.silence(report, most=names), most=items, what="reason"),
            self._bullets(wording.coverage(report, most=names), most=items, what="changed file"),
        )
        if any(lists):
            yield f"<details><summary>{wording.silence_title(report)}</summary>"
            yield "\n".join(part for part in lists if part)
            yield "</details>"

    def _gaps(self) -> Iterable[str]:
        gaps = [gap_words(gap) for gap in self._report.gaps]
        if gaps:
            yield "**What could not be seen**"
            yield self._bullets(gaps, most=self._grain.items, what="thing")

    def _foot(self) -> str:
        parts = [self._markup.words(words) for words in wording.foot(self._report)]
        shortened = () if self._grain is GRAINS[0] else ("shortened to fit; the JSON report has everything",)
        hints = ("wrong? `/triage wrong JOB`", "`/triage help`") if self._commands else ()
        return f"<sub>{' · '.join((*parts, *shortened, *hints))}</sub>"


def _with_link(finding: Finding) -> Words:
    words = finding.standalone
    links = [link for link in finding.links if link not in words]
    return (*words, " (", *listed(links, most=len(links)), ")") if links else words


def _that_follow(row: Row) -> str:
    return " that follows" if len(row.followers) == 1 else " that follow"


def _assembled(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"
