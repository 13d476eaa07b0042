"""What is fuzzed: functions of bytes that nothing may make raise. Without atheris: tests run them on the corpus too."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from triage.logs import TEST_TRIGGERS, BytesSource, read_log, read_tests
from triage.logs.tests import RUNNERS
from triage.matching import Scanner
from triage.model import LogLine
from triage.redact import redact
from triage.signature import normalise, signature_of_line, signature_of_test

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from triage.model import TestReport

CORPUS = Path(__file__).parent / "corpus"
# Lines of a log that masking and signatures are held to: they cost more than reading does.
MOST_LINES = 50


def read_as_a_log(data: bytes) -> None:
    """Read bytes as the raw log of a job, with every test runner's marks looked for."""
    log = read_log(BytesSource("fuzz", data), _scanner())
    numbers = [line.number for line in log.lines]
    assert numbers == sorted(set(numbers))
    assert not numbers or numbers[-1] <= log.total_lines
    _hold(read_tests(log), log.lines)


def read_as_test_output(data: bytes) -> None:
    """Give lines to every extractor, whether its runner showed itself or not; a form feed before a line is a hole."""
    lines: list[LogLine] = []
    number = 0
    for text in data.decode("utf-8", "replace").split("\n"):
        number += 2 if text.startswith("\f") else 1
        lines.append(LogLine(number, text.removeprefix("\f")))
    for runner in RUNNERS:
        if (report := runner.read(lines)) is not None:
            _hold(report, lines)


def mask_and_compare(data: bytes) -> None:
    """Mask secrets in a text, and find what makes its lines the same failure."""
    text = data.decode("utf-8", "replace")
    masked = redact(text)
    assert masked.count("\n") == text.count("\n")
    assert redact(masked) == masked
    for line in text.split("\n")[:MOST_LINES]:
        known = normalise(line)
        assert normalise(known) == known
        signature_of_line(line)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "reader": read_as_a_log,
    "extractors": read_as_test_output,
    "text": mask_and_compare,
}


def _hold(report: TestReport, lines: Sequence[LogLine]) -> None:
    """Hold a report to what is promised of every one: all it points at is there."""
    numbers = {line.number for line in lines}
    assert report.ran is None or report.ran >= 0
    for test in report.failures:
        assert test.id == test.id.strip() != ""
        assert test.first_line <= test.last_line
        assert {test.first_line, test.last_line, test.error_line} <= numbers
        signature_of_test(test)


@cache
def _scanner() -> Scanner:
    return Scanner(TEST_TRIGGERS)
