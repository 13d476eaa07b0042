"""How a log says that its job ended, and which part of it failed.

The failing step comes first in everything: a frightening line of a step that ended well explains nothing.
"""

from __future__ import annotations

import re
from enum import StrEnum, unique
from typing import TYPE_CHECKING, NamedTuple

from triage.classify.signs import PLAIN, look_at
from triage.classify.view import LogView, Section
from triage.model import Conclusion
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.model import Job, LogLine, StepSpan


@unique
class Outcome(StrEnum):
    """What a log says of its job's end; `UNSAID` when it says nothing."""

    PASSED = "passed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed-out"
    UNSAID = "unsaid"


class Mark(NamedTuple):
    """A line by which a CI system states an outcome; `whole_job` when it speaks of the job, not of one command."""

    pattern: re.Pattern[str]
    outcome: Outcome
    whole_job: bool = False


MARKS: tuple[Mark, ...] = (
    # GitHub Actions
    Mark(regex(r"^##\[error\]The operation was cancell?ed\.?$"), Outcome.CANCELLED),
    Mark(regex(r"^##\[error\]The (?:action|step) .* has timed out after "), Outcome.TIMED_OUT),
    Mark(regex(r"^##\[error\]The job .*has exceeded the maximum execution time of "), Outcome.TIMED_OUT),
    Mark(regex(r"^##\[error\]"), Outcome.FAILED),
    # Travis
    Mark(regex(r'^The command ".*" (?:failed and )?exited with [1-9]\d*'), Outcome.FAILED),
    Mark(regex(r'^The command ".{0,2000}$'), Outcome.UNSAID),
    Mark(regex(r"^No output has been received in the last \d+m"), Outcome.TIMED_OUT),
    Mark(regex(r"^The job exceeded the maximum time limit for jobs"), Outcome.TIMED_OUT),
    Mark(regex(r"^Done\. Your build exited with 0\."), Outcome.PASSED, whole_job=True),
    Mark(regex(r"^Done\. Your build exited with [1-9]"), Outcome.FAILED, whole_job=True),
    # GitLab
    Mark(regex(r"^ERROR: Job failed: execution took longer than "), Outcome.TIMED_OUT, whole_job=True),
    Mark(regex(r"^ERROR: Job failed"), Outcome.FAILED, whole_job=True),
    Mark(regex(r"^Job succeeded$"), Outcome.PASSED, whole_job=True),
    # Buildkite
    Mark(regex(r"^🚨 Error: The command exited with status [1-9]"), Outcome.FAILED, whole_job=True),
    Mark(regex(r"^🚨 Error: The command was (?:interrupted|cancell?ed)"), Outcome.CANCELLED, whole_job=True),
    # Jenkins
    Mark(regex(r"^Finished: SUCCESS$"), Outcome.PASSED, whole_job=True),
    Mark(regex(r"^Finished: (?:FAILURE|UNSTABLE)$"), Outcome.FAILED, whole_job=True),
    Mark(regex(r"^Finished: ABORTED$"), Outcome.CANCELLED, whole_job=True),
)

_OPENERS = ("##[error]", "The command ", "No output has", "The job exceeded", "Done. Your", "ERROR: Job", "Job succ")
_OPENERS_OF_OTHERS = ("Finished: ", "🚨 Error: ")

_EXIT_CODE = regex(r"^##\[error\]Process completed with exit code -?\d+")
_COMMAND = regex(r"^(?:##\[group\]Run |\$ )")
_AFTERMATH = regex(r"^(?:Post |Complete job$|Stop containers$|Upload |Cleaning up)", re.IGNORECASE)
_SHORTEST_SECTION = 3


class Ending(NamedTuple):
    """How the log says the job ended.

    Attributes:
        sections: The parts that failed, the first failing step first. The whole log when none is marked.
        line: The line that states the outcome.
    """

    outcome: Outcome
    sections: tuple[Section, ...]
    line: LogLine | None = None

    @property
    def failing(self) -> Section:
        """The part that failed first."""
        return self.sections[0]


def outcome_of(text: str) -> Mark | None:
    """Return what a line states about the end of a command or job; None for every other line."""
    if not text.startswith((*_OPENERS, *_OPENERS_OF_OTHERS)):
        return None
    return next((mark for mark in MARKS if mark.pattern.match(text)), None)


def ending_of(view: LogView, job: Job | None = None) -> Ending:
    """Find out how the log says its job ended, and where it failed.

    Args:
        view: The log.
        job: Gives the steps' conclusions, which outrank every text.
    """
    marks = list(_marks(view))
    stated = [(line, mark) for line, mark in marks if mark.outcome is not Outcome.UNSAID]
    whole = Section(first=1, last=view.log.total_lines)
    failed_step = job.failed_step if job else None
    if failed_step is not None:
        spans = [span for span in view.log.spans if span.number == failed_step.number]
        sections = tuple(_section_of_span(span, stated) for span in spans)
        if sections:
            line = sections[0].end
            mark = outcome_of(line.text) if line else None
            return Ending(outcome=mark.outcome if mark else Outcome.FAILED, sections=sections, line=line)
    verdict = next(((line, mark) for line, mark in reversed(stated) if mark.whole_job), None)
    if verdict and verdict[1].outcome is Outcome.PASSED:
        return Ending(outcome=Outcome.PASSED, sections=(whole,), line=verdict[0])
    broken = [(line, mark) for line, mark in stated if mark.outcome is not Outcome.PASSED]
    if not broken:
        if job is not None and job.conclusion is Conclusion.FAILURE and (silent := _ended_silently(view)):
            return Ending(outcome=Outcome.FAILED, sections=(silent,))
        done = _finished_quietly(view)
        if done:
            return Ending(outcome=Outcome.PASSED, sections=(whole,), line=done)
        return Ending(outcome=Outcome.UNSAID, sections=(*_broken_off(view), whole))
    sections = tuple(_sections(view, broken, marks))
    line, mark = next(((line, mark) for line, mark in broken if line == sections[0].end), broken[0])
    return Ending(outcome=mark.outcome, sections=sections, line=line)


def _marks(view: LogView) -> Iterator[tuple[LogLine, Mark]]:
    """Yield the lines that state an outcome, each with what it states.

    Travis repeats the whole command before it says how it exited: one of many lines counts where it begins.
    """
    opened: LogLine | None = None
    for line in view.log.lines:
        mark = outcome_of(line.text)
        if mark is not None and mark.outcome is Outcome.UNSAID and not _ONE_LINE.search(line.text):
            opened = line
        elif opened is not None and (said := _LAST_LINE.search(line.text)):
            yield opened, _UNSAID if said["code"] == "0" else _COMMAND_FAILED
            opened = None
        elif opened is not None and line.number - opened.number > _LONGEST_COMMAND:
            opened = None
        if mark is not None:
            yield line, mark


_ONE_LINE = regex(r'" (?:failed|exited with)\b')
_LAST_LINE = regex(r'" (?:failed and )?exited with (?P<code>\d+)')
_LONGEST_COMMAND = 200
_UNSAID = Mark(regex(""), Outcome.UNSAID)
_COMMAND_FAILED = Mark(regex(""), Outcome.FAILED)


def _broken_off(view: LogView) -> Iterator[Section]:
    """The part of a Travis log that ends in the middle of a command: a script that gave up took its shell along."""
    starts = [line for line in view.log.lines if line.text.startswith(_TRAVIS)]
    if starts:
        commands = [line.number for line in view.between(1, view.log.total_lines) if line.text.startswith("$ ")]
        yield Section(first=max([starts[-1].number, *commands]), last=view.log.total_lines)


_TRAVIS = ("travis_time:start", "travis_fold:")
_QUIET_END = ("Cleaning up orphan processes", "Post job cleanup.", "Evaluate and set job outputs")


def _finished_quietly(view: LogView) -> LogLine | None:
    """The runner's last words in a job that came to its end; without an error mark above them it passed."""
    if view.log.truncated:
        return None
    last = view.log.lines[-_LAST_WORDS:]
    return next((line for line in reversed(last) if line.text.startswith(_QUIET_END)), None)


_LAST_WORDS = 30


def _ended_silently(view: LogView) -> Section | None:
    """The step that failed a job in which no line is marked: the runner does not mark how a container's program ended.

    It is the last one that ran a container; without any the last one, where that states an error. An error of a step
    further up may be one that step got over.
    """
    starts = [line.number for line in view.log.lines if line.text.startswith("##[group]Run ")]
    if not starts:
        return None
    quiet = (line.number for line in view.between(starts[-1], view.log.total_lines) if line.text.startswith(_QUIET_END))
    ends = [*(start - 1 for start in starts[1:]), next(quiet, view.log.total_lines + 1) - 1]
    parts = [Section(first=first, last=last) for first, last in zip(starts, ends, strict=True)]
    ran = [part for part in parts if any(_CONTAINER.match(line.text) for line in view.between(part.first, part.last))]
    part = (ran or parts)[-1]
    return part if any(look.weight >= PLAIN for look in look_at(view.between(part.first, part.last))) else None


_CONTAINER = regex(r"^##\[command\]\S*(?:docker|podman)(?:\.exe)? run ")


def _section_of_span(span: StepSpan, stated: list[tuple[LogLine, Mark]]) -> Section:
    ends = [line for line, _ in stated if span.first_line <= line.number <= span.last_line]
    return Section(first=span.first_line, last=span.last_line, end=ends[-1] if ends else None, span=span)


def _sections(
    view: LogView, broken: list[tuple[LogLine, Mark]], marks: list[tuple[LogLine, Mark]]
) -> Iterator[Section]:
    """Yield the failing parts, by how surely each is the one that failed the job, then by rising line."""
    parts: dict[int, Section] = {}
    for line, mark in broken:
        section = _whole_script(view, line) if mark.whole_job else _command_before(view, line, marks)
        known = parts.get(section.first)
        parts[section.first] = (
            Section(first=section.first, last=section.last, end=line)
            if (known is None or _outranks(line, known.end))
            else known
        )
    commands = [part for part in parts.values() if part.end and not _is_whole_job(part.end)]
    chosen = commands or list(parts.values())
    yield from sorted(chosen, key=lambda part: (_is_aftermath(view, part), not _is_exit(part.end), part.first))


def _outranks(line: LogLine, other: LogLine | None) -> bool:
    return other is None or not _is_exit(other) or _is_exit(line)


def _is_exit(line: LogLine | None) -> bool:
    return line is not None and (not line.text.startswith("##[error]") or bool(_EXIT_CODE.match(line.text)))


def _is_whole_job(line: LogLine) -> bool:
    mark = outcome_of(line.text)
    return bool(mark and mark.whole_job)


def _is_aftermath(view: LogView, part: Section) -> bool:
    span = view.span_of(part.first)
    return bool(span and _AFTERMATH.match(span.name))


def _command_before(view: LogView, line: LogLine, marks: list[tuple[LogLine, Mark]]) -> Section:
    """The lines from the start of the command that a mark closes up to the mark."""
    span = view.span_of(line.number)
    named = _NAMED.match(line.text)  # Travis says the same of each try
    earlier = [
        other.number
        for other, _ in marks
        if other.number < line.number and not (named and other.text.startswith(named.group()))
    ]
    floor = span.first_line if span else (earlier[-1] + 1 if earlier and not line.text.startswith("##") else 1)
    starts = [other.number for other in view.between(floor, line.number) if _COMMAND.match(other.text)]
    first = span.first_line if span else (starts[-1] if starts else floor)
    if (
        line.text.startswith("##") and line.number - first < _SHORTEST_SECTION
    ):  # a forged or empty boundary: what failed stands before it
        before = [start for start in starts if start < first]
        first = before[-1] if before else max(1, first - _LOOK_BACK)
    return Section(first=first, last=_end_of_message(view, line), end=line, span=span)


_NAMED = regex(r'The command ".+" (?=failed|exited)')
_LOOK_BACK = 400


def _end_of_message(view: LogView, line: LogLine) -> int:
    """The last line of what an action says by its error mark: only the first line of a message bears the mark."""
    if not line.text.startswith("##[error]") or _is_exit(line):
        return line.number
    last = line.number
    for below in view.between(last + 1, last + _LONGEST_MESSAGE):
        if below.number != last + 1 or below.text.startswith(("##[", "[command]", *_QUIET_END)):
            break
        last = below.number
    return last


_LONGEST_MESSAGE = 12


def _whole_script(view: LogView, line: LogLine) -> Section:
    """The script part of a job whose system states only the job's end."""
    first, last = 1, line.number
    for other in view.between(1, line.number):
        if 'Executing "step_script"' in other.text:
            first = other.number
        elif other.text.startswith(_AFTER_SCRIPT):
            last = other.number
            break
    return Section(first=first, last=last, end=line)


_AFTER_SCRIPT = ("travis_fold:start:after_", "travis_fold:start:cache.2", "store build cache")
"""Where Travis begins what it does after the script, whether that failed or not."""
