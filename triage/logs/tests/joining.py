"""Joins what the readers of all runners found: one runner's output may stand inside another's."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from triage.logs.tests.reporting import keep_last, total
from triage.model import Outcome, TestFailure, TestReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from triage.logs.tests.runner import Runner

Span = tuple[int, int]


def join(reports: Sequence[tuple[Runner, TestReport]]) -> TestReport:
    """Join reports of single runners into one.

    A failure counts once, as the runner tells it that ran the test: what ctest or a suite says of a whole program or
    file gives way to the failures that the program's own runner told inside it. A retry that the outer runner made
    turns the failures inside the first try into flaky ones.
    """
    shown = [(runner, report) for runner, report in _only_where_alone(reports) if report is not None]
    inner = [(runner, report) for runner, report in shown if not runner.wraps]
    outer = [failure for runner, report in shown if runner.wraps for failure in report.failures]
    own = _outermost([failure for _, report in inner for failure in report.failures])
    failures = [*_flaky_where_retried(own, outer), *_not_told_inside(outer, own)]
    told = inner if any(report.ran is not None for _, report in inner) else shown
    return TestReport(
        runners=tuple(dict.fromkeys(name for _, report in sorted(shown, key=_first_line) for name in report.runners)),
        ran=total(report.ran for _, report in told),
        passed=total(report.passed for _, report in told),
        failures=keep_last(sorted(failures, key=lambda failure: (failure.first_line, failure.error_line))),
        not_run=tuple(dict.fromkeys(text for _, report in shown for text in report.not_run)),
        line_ranges=merge(span for _, report in shown for span in report.line_ranges),
        unended=merge(span for _, report in shown for span in report.unended),
    )


def merge(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans in order, those that touch or overlap as one."""
    merged: list[Span] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def _first_line(row: tuple[Runner, TestReport]) -> int:
    _, report = row
    lines = [first for first, _ in report.line_ranges] + [failure.first_line for failure in report.failures]
    return min(lines, default=0)


def _only_where_alone(reports: Sequence[tuple[Runner, TestReport]]) -> list[tuple[Runner, TestReport | None]]:
    """Leave out what was found by such readers inside a real runner's output."""
    taken = _Spans(
        span for runner, report in reports if not runner.only_alone and not runner.wraps for span in report.line_ranges
    )
    rows: list[tuple[Runner, TestReport | None]] = []
    for runner, report in reports:
        if not runner.only_alone:
            rows.append((runner, report))
            continue
        kept = tuple(failure for failure in report.failures if not taken.hold(failure.error_line))
        spans = tuple(span for span in report.line_ranges if not taken.hold(span[1]))
        rows.append((runner, replace(report, failures=kept, line_ranges=spans) if kept else None))
    return rows


def _outermost(failures: Sequence[TestFailure]) -> list[TestFailure]:
    """Leave out a failure that another runner's failing test printed: its block stands inside that test's block."""
    blocks = sorted(failures, key=lambda failure: (failure.first_line, -failure.last_line))
    kept: list[TestFailure] = []
    around: TestFailure | None = None
    for failure in blocks:
        inside = around is not None and failure.last_line <= around.last_line and failure.runner != around.runner
        if inside:
            continue
        kept.append(failure)
        if around is None or failure.last_line > around.last_line:
            around = failure
    return kept


def _flaky_where_retried(own: Sequence[TestFailure], outer: Sequence[TestFailure]) -> list[TestFailure]:
    retried = _Spans(_block(failure) for failure in outer if failure.outcome is Outcome.FLAKY)
    return [replace(failure, outcome=Outcome.FLAKY) if retried.hold(failure.first_line) else failure for failure in own]


def _not_told_inside(outer: Sequence[TestFailure], own: Sequence[TestFailure]) -> list[TestFailure]:
    """Leave out failures of an outer runner that hold one of an inner runner's, or that are of the same file."""
    lines = sorted(failure.error_line or failure.first_line for failure in own)
    files = {failure.file.rpartition("/")[2] for failure in own if failure.file}
    kept = []
    for failure in outer:
        after_first = bisect_right(lines, failure.first_line - 1)
        inside = after_first < len(lines) and lines[after_first] <= failure.last_line
        of_its_file = failure.file is not None and failure.file.rpartition("/")[2] in files
        if not inside and not of_its_file:
            kept.append(failure)
    return kept


def _block(failure: TestFailure) -> Span:
    return failure.first_line, failure.last_line


class _Spans:
    """Line spans that can be asked whether they hold a line."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._merged = merge(spans)
        self._firsts = [first for first, _ in self._merged]

    def hold(self, line: int) -> bool:
        """Whether the line is inside one of them."""
        at = bisect_right(self._firsts, line) - 1
        return at >= 0 and line <= self._merged[at][1]
