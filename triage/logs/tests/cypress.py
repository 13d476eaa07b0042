"""Reads `cypress run`: Mocha's report for each spec, from `Running:` to `(Results)`, and attempts at retried tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.logs.tests import mocha
from triage.logs.tests.failure_blocks import Tally, Told, failure_of
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine

NAME = "cypress"


_RUNNING = regex(r" +Running:  (\S+) .*\(\d+ of (\d+)\)")
_ATTEMPT = regex(r" +\(Attempt \d+ of \d+\) (.+)$")
_PASSED = regex(r" +[✓√] (.+?)(?: \(\d+m?s\))?$")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Cypress said in these lines; None where it did not run."""
    if not any_line_has(lines, "(Run Starting)", "(Run Finished)"):
        return None
    specs = _specs(lines)
    tally = Tally()
    failures: list[TestFailure] = []
    for section in mocha.read_sections(lines, NAME):
        first, spec = next(((at, name) for at, name in reversed(specs) if at <= section.first), (section.first, ""))
        tally.add(passed=section.passed, failed=section.failed)
        tally.wrote(lines[first].number, lines[section.last].number)
        failures += [_in_spec(failure, spec) for failure in section.failures]
        failures += _flaky(lines[first : section.first], spec)
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last(failures),
        line_ranges=tuple(tally.ranges),
    )


def _specs(lines: Sequence[LogLine]) -> list[tuple[int, str]]:
    """Return where each spec begins, and its name as Cypress prints it: below the folder of all specs."""
    return [(index, found[1]) for index, line in enumerate(lines) if (found := _RUNNING.match(line.text))]


def _in_spec(failure: TestFailure, spec: str) -> TestFailure:
    test_id = f"{spec} › {failure.id}" if spec else failure.id
    return replace(failure, id=test_id, file=failure.file or spec or None)


def _flaky(lines: Sequence[LogLine], spec: str) -> list[TestFailure]:
    """Return tests of a spec that passed after a failed attempt."""
    attempted: dict[str, LogLine] = {}
    found: list[TestFailure] = []
    for line in lines:
        attempt = _ATTEMPT.match(line.text)
        passed = _PASSED.match(line.text)
        if attempt:
            attempted.setdefault(attempt[1].strip(), line)
        elif passed and passed[1] in attempted:
            first = attempted.pop(passed[1])
            told = Told(line=first.number)
            made = failure_of([first, line], told, test_id=passed[1], runner=NAME, outcome=Outcome.FLAKY)
            found.append(_in_spec(made, spec))
    return found
