"""What the log says broke: the tests it names, then the rules that show where it failed.

Who is believed, and when, is the order of `CHECKS`. A rule that excuses is believed only where running tests did not
write (law 2), and only in the part of the log that failed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from triage.classify.ending import Ending, Outcome
from triage.classify.gpu_memory import MemoryReading, read_memory_error
from triage.classify.guesses import error_lines
from triage.classify.places import places_of
from triage.classify.quoting import quote_all
from triage.classify.structure import log_gap
from triage.model import (
    Basis,
    Failure,
    Fault,
    LogLine,
    TestFailure,
    Where,
)
from triage.model import Outcome as TestOutcome
from triage.rules.match import Match, matches, read_text
from triage.signature import signature_of_line, signature_of_rule, signature_of_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from triage.classify.context import JobContext
    from triage.classify.view import LogView

MOST_EVIDENCE = 8
"""Log lines quoted for one job."""

BLAMES_CODE = frozenset({Fault.CODE, Fault.UNKNOWN})
STOPS_BEFORE_WORK = frozenset({Fault.MISSING_LABEL, Fault.CASCADE, Fault.STARVED, Fault.CANCELLED})

FINAL_LINES = 15
"""An infrastructure fault that ends the failing part is believed although code errors stand above it."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """One log with all that was found in it."""

    context: JobContext
    view: LogView
    ending: Ending

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """Where rules show and may hold, wrappers left out, by rising line."""
        found = matches(self.context.rules, self.view.log)
        return tuple(match for match in found if not match.rule.wrapper and self._may_hold(match))

    @cached_property
    def failing(self) -> tuple[Match, ...]:
        """Those of the part that failed; of any failed part when the first one has none."""
        for section in self.ending.sections:
            here = tuple(match for match in self.matches if section.holds(match.line.number))
            if here:
                return here
        return ()

    def _may_hold(self, match: Match) -> bool:
        rule, number = match.rule, match.line.number
        if rule.where is Where.ANNOTATION:
            return False
        if rule.steps and not self._is_in_step(number, rule.steps):
            return False
        return rule.where is Where.ANYWHERE or not any(self.view.is_in_tests(line.number) for line in match.lines)

    def _is_in_step(self, number: int, globs: tuple[str, ...]) -> bool:
        span = self.view.span_of(number)
        return span is None or any(fnmatchcase(span.name.lower(), glob.lower()) for glob in globs)

    def failure(self, fault: Fault, title: str, lines: Iterable[LogLine], basis: Basis) -> Failure:
        """Build the answer, quoting `lines` in the order given."""
        context, lines = self.context, tuple(lines)
        return Failure(
            job=context.job,
            fault=fault,
            basis=basis,
            title=title,
            log_state=context.log_state,
            evidence=quote_all(lines, context.job, self.view, most=MOST_EVIDENCE),
            tests=context.facts.tests,
            failed_step=context.job.failed_step,
            places=places_of(lines) if fault in BLAMES_CODE else (),
            gaps=tuple(log_gap(context)),
        )

    def from_match(self, match: Match, lines: Iterable[LogLine]) -> Failure:
        """Build the answer that a rule gives."""
        rule, captures = match.rule, match.captures
        identity = {name: text for name, text in captures.items() if name not in {"roots", "root"}}
        return replace(
            self.failure(rule.fault, rule.title, lines, Basis.RULE),
            rule=rule,
            signature=signature_of_rule(rule.id, identity),
            roots=tuple(_names(captures.get("roots") or captures.get("root") or "")),
            label=captures.get("label"),
        )


def _names(text: str) -> Iterator[str]:
    """Split a list of job names; a comma inside brackets belongs to a matrix job's name."""
    name, depth = "", 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth <= 0:
            if name.strip():
                yield name.strip().strip("`'\"")
            name = ""
        else:
            name += char
    if name.strip():
        yield name.strip().strip("`'\"")


# --------------------------------------------------------------------------------------------------------------------
# The checks, in the order of `CHECKS`


def gate_or_cascade(story: Story) -> Failure | None:
    """A gate refused, or another job's failure is named as the reason; no test of this job failed."""
    if story.view.failing_tests:
        return None
    last = next((match for match in reversed(story.failing) if match.rule.fault in STOPS_BEFORE_WORK), None)
    if last is None:
        return None
    same = [match for match in story.failing if match.rule.id == last.rule.id]
    return story.from_match(last, _lines_of(last, *same))


def failed_tests(story: Story) -> Failure | None:
    """Tests failed: code, unless the very error of every one of them is a machine's."""
    tests = story.view.failing_tests
    if not tests:
        return None
    readings = tuple(_machine_fault(story, test) for test in tests)
    blamed = [test for test, reading in zip(tests, readings, strict=True) if reading is None]
    found = [reading for reading in readings if reading is not None]
    if not blamed and len({reading.fault for reading in found}) == 1:
        return found[0]
    shown = blamed or list(tests)
    lines = [line for line in (story.view.line(test.error_line) for test in shown) if line]
    code = [match.line for match in story.failing if match.rule.fault in BLAMES_CODE]
    guesses = error_lines(story.view, story.ending.failing)
    failure = story.failure(Fault.CODE, title_of_tests(shown), [*lines, *code, *guesses], Basis.TESTS)
    return replace(failure, signature=signature_of_test(shown[0]))


def title_of_tests(tests: list[TestFailure]) -> str:
    """Name what failed in a few words."""
    first = tests[0].id
    return f"`{first}` fails" if len(tests) == 1 else f"{len(tests)} tests fail, first `{first}`"


def _machine_fault(story: Story, test: TestFailure) -> Failure | None:
    """What the test's own error says of the machine; None when it says nothing of it."""
    block = story.view.between(test.first_line, test.last_line)
    error = story.view.line(test.error_line)
    stated = [line for line in block if error is None or abs(line.number - error.number) <= _ERROR_LINES]
    reading = read_memory_error(stated, story.view)
    if reading is not None:
        return from_memory(story, reading) if reading.fault is not Fault.CODE else None
    if test.outcome in {TestOutcome.CRASHED, TestOutcome.TIMED_OUT}:
        return None
    text = f"{test.exception}: {test.message}" if test.exception else test.message
    log = read_text(text, story.context.scanner)
    for match in matches(story.context.rules, log):
        rule = match.rule
        if rule.where is Where.TEST_ERROR and not rule.wrapper and rule.fault not in BLAMES_CODE:
            shown = error or next(iter(block), None) or LogLine(test.error_line, text)
            return story.from_match(replace_line(match, shown), [shown, *_lines_of(match)])
    return None


_ERROR_LINES = 3
"""Lines round a test's error that still belong to the statement of it."""


def replace_line(match: Match, line: LogLine) -> Match:
    """Return a match found in a test's error as a match on the line that states it."""
    return replace(match, line=line, lines=(line,))


def from_memory(story: Story, reading: MemoryReading) -> Failure:
    """Build the answer that the arithmetic of GPU memory gives."""
    failure = story.failure(reading.fault, reading.title, [reading.line], Basis.RULE)
    return replace(
        failure, signature=signature_of_rule("gpu-memory", {"fault": reading.fault.value}), ruled_out=(reading.why,)
    )


def memory_outside_tests(story: Story) -> Failure | None:
    """A GPU memory error that no test reported, in the part that failed."""
    section = story.ending.failing
    reading = read_memory_error(story.view.between(section.first, section.last), story.view)
    return from_memory(story, reading) if reading else None


def rules_where_it_failed(story: Story) -> Failure | None:
    """The rule that shows last in the failing part, unless code and machine contradict each other there."""
    code = [match for match in story.failing if match.rule.fault in BLAMES_CODE]
    excuses = [match for match in story.failing if match.rule.fault not in BLAMES_CODE]
    if not code and not excuses:
        return None
    if code and (not excuses or code[-1].line.number > excuses[-1].line.number):
        return _from_code(story, code)
    last = excuses[-1]
    end = story.ending.failing.end
    if code and end is not None and end.number - last.line.number > FINAL_LINES:
        return _from_code(story, code)
    same = [match for match in excuses if match.rule.id == last.rule.id]
    others = [match for match in excuses if match.rule.id != last.rule.id]
    return story.from_match(last, _lines_of(last, *same, *reversed(others)))


def _from_code(story: Story, code: list[Match]) -> Failure:
    """The first error of the last outburst explains a build."""
    outburst = [code[-1]]
    for match in reversed(code[:-1]):
        if outburst[0].line.number - match.line.number > _OUTBURST:
            break
        outburst.insert(0, match)
    first = outburst[0]
    guesses = error_lines(story.view, story.ending.failing)
    return story.from_match(first, [*_lines_of(first, *outburst), *guesses])


_OUTBURST = 200


def _lines_of(*found: Match) -> Iterator[LogLine]:
    """The deciding lines first, then the lines that led to them."""
    for match in found:
        yield match.line
    for match in found:
        yield from match.lines[:-1]


def only_flakes(story: Story) -> Failure | None:
    """Every failing test passed in a retry of the same run, and nothing else went wrong."""
    flakes = [test for test in story.view.tests.failures if test.outcome is TestOutcome.FLAKY]
    outside = [match for match in story.failing if not story.view.is_in_tests(match.line.number)]
    if not flakes or story.view.failing_tests or outside:
        return None
    lines = [line for line in (story.view.line(test.error_line) for test in flakes) if line]
    failure = story.failure(Fault.FLAKY, f"`{flakes[0].id}` failed, then passed in a retry", lines, Basis.TESTS)
    return replace(failure, signature=signature_of_test(flakes[0]))


def guess(story: Story) -> Failure | None:
    """No rule knows it: show what looks like the error, and claim nothing."""
    lines = error_lines(story.view, story.ending.failing)
    end = story.ending.failing.end
    shown = [*lines, *([end] if end else [])]
    if not shown:
        return None
    title = "No rule knows this failure; this looks like its error" if lines else "The log does not say what broke"
    failure = story.failure(Fault.UNKNOWN, title, shown, Basis.GUESS if lines else Basis.NOTHING)
    return replace(failure, signature=signature_of_line(lines[0].text) if lines else None)


def cancelled_or_out_of_time(story: Story) -> Failure | None:
    """The log ends by being stopped, and nothing in it had failed before."""
    if story.ending.outcome is not Outcome.CANCELLED or story.context.job.conclusion is not None:
        return None
    return story.failure(Fault.CANCELLED, "Cancelled", [story.ending.line] if story.ending.line else [], Basis.RULE)


CHECKS: tuple[Callable[[Story], Failure | None], ...] = (
    gate_or_cascade,
    failed_tests,
    only_flakes,
    memory_outside_tests,
    rules_where_it_failed,
    cancelled_or_out_of_time,
    guess,
)
"""Asked in this order; the first answer wins."""


def explain(context: JobContext) -> Failure | None:
    """Say what the log shows; None when there is no log, or when it shows no failure."""
    if context.view is None or context.ending is None:
        return None
    story = Story(context=context, view=context.view, ending=context.ending)
    if shows_no_failure(story):
        return None
    return next((failure for check in CHECKS if (failure := check(story))), None)


def shows_no_failure(story: Story) -> bool:
    """Whether the log ends well; one that does not say how it ended shows nothing either way."""
    return story.ending.outcome is Outcome.PASSED and not story.view.failing_tests
