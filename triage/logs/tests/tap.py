"""Reads TAP: `not ok N - test` with a YAML block or comments below; of node, tape, tap, bats, and `prove`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.logs.tests import javascript
from triage.logs.tests.failure_blocks import (
    LONGEST_BLOCK,
    Tally,
    Told,
    block_end,
    failure_of,
    is_aftermath,
    is_hole,
    line_in,
    number_in,
)
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame, Outcome, TestFailure, TestReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine

NAME = "tap"

TRIGGERS: tuple[str, ...] = (
    r"^TAP version [0-9]+",
    r"^ *not ok [0-9]+",
    r"^1\.\.[0-9]+",
    r"^# (?:tests|pass|fail) +[0-9]+",
    r"^Result: (?:PASS|FAIL)$",
    r"^Test Summary Report$",
)

_POINT = re.compile(r"( *)(not ok|ok)(?: +(\d+))?(?: +-)?(?: +(.*))?$")
_PLAN = re.compile(r"( *)1\.\.(\d+)")
_SUBTEST = re.compile(r"( *)# Subtest: (.+)$")
_DIRECTIVE = re.compile(r"#\s*(?:SKIP|TODO|skip|todo)\b")
_FIELD = re.compile(r"(\w+): ?(.*)$")
_COUNT = re.compile(r"# (tests|pass|fail|cancelled|ok) *(\d*)\s*$")
_BATS_PLACE = re.compile(r"#? *\(?(?:from function .*, )?in test file (\S+), line (\d+)\)")
_PERL_PLACE = re.compile(r"#\s+at (\S+) line (\d+)\.")
_COMPLAINT = re.compile(r"#\s+Failed test (?:'(.*)')?")
_PROVED = re.compile(r"(\S+) +\(Wstat: (\d+)(?: \([^)]*\))? Tests: (\d+) Failed: (\d+)\)")
_PROVE_RESULT = re.compile(r"Result: (PASS|FAIL)$")
_PROVE_FILES = re.compile(r"Files=(\d+), Tests=(\d+),")
_UNLOADED = "test failed"  # node's whole answer for a file that ended before its tests
_AGGREGATES = frozenset({"subtestsFailed", "parentAlreadyFinished"})


@dataclass(slots=True)
class Point:
    """One test point: how deep it stands, its name with those of the subtests around it, and the lines below it."""

    line: LogLine
    indent: int
    passed: bool
    name: str
    number: int = 0
    parents: tuple[str, ...] = ()
    lines: list[LogLine] = field(default_factory=list)

    @property
    def path(self) -> str:
        """Its name below those of the subtests around it."""
        return " › ".join((*self.parents, self.name))


@dataclass(slots=True)
class Stream:
    """One stream of TAP: its points, whether a plan was seen, and the counts at its end."""

    points: list[Point] = field(default_factory=list)
    planned: int | None = None
    counts: dict[str, int] = field(default_factory=dict)
    comments: list[LogLine] = field(default_factory=list)
    first: int = 0
    last: int = 0

    @property
    def is_tap(self) -> bool:
        """Whether it is more than a word at the start of a line: it has a plan, or a count at its end."""
        return bool(self.points) and (self.planned is not None or bool(self.counts))


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what programs that speak TAP said in these lines, or `prove` of them; None where there are none."""
    if not any_line_has(lines, "not ok ", "1..", "Result: "):
        return None
    streams = [stream for stream in read_streams(lines) if stream.is_tap and not is_node(stream)]
    proved = _read_prove(lines)
    if not streams and proved is None:
        return None
    tally = Tally()
    failures: list[TestFailure] = []
    for stream in streams:
        count_points(stream, tally)
        failures += [failure_at(point, NAME, stream) for point in failed_points(stream)]
    if proved is not None:
        failures = list(proved.failures) or failures
        tally.ran, tally.passed = proved.ran, proved.passed
        tally.ranges += proved.line_ranges
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last(failures),
        not_run=tuple(tally.not_run),
        line_ranges=tuple(sorted(tally.ranges)),
    )


def read_streams(lines: Sequence[LogLine]) -> list[Stream]:
    """Return every stream of TAP in these lines; a second plan, a new version line, or the step's end closes one."""
    streams = [Stream()]
    subtests: dict[int, str] = {}
    for index, line in enumerate(lines):
        stream, text = streams[-1], line.text
        point = _POINT.match(text) if "ok" in text[:60] else None
        if is_aftermath(text) or text.startswith("TAP version"):
            streams.append(Stream(first=line.number))
            subtests = {}
        elif plan := _PLAN.match(text):
            if not plan[1]:
                if stream.planned is not None:
                    streams.append(Stream(first=line.number))
                streams[-1].planned = number_in(plan[2])
                _touch(streams[-1], line)
        elif subtest := _SUBTEST.match(text):
            subtests[len(subtest[1])] = subtest[2]
            _touch(stream, line)
        elif point and (point[3] or point[4]):
            stream.points.append(_point(line, point, subtests))
            _touch(stream, line)
        else:
            _read_below(stream, line, hole=is_hole(lines, index))
    return streams


def _touch(stream: Stream, line: LogLine) -> None:
    stream.first = stream.first or line.number
    stream.last = line.number


def _point(line: LogLine, found: re.Match[str], subtests: dict[int, str]) -> Point:
    indent = len(found[1])
    for deeper in [depth for depth in subtests if depth >= indent]:
        del subtests[deeper]
    parents = tuple(subtests[depth] for depth in sorted(subtests))
    passed = found[2] == "ok" or _DIRECTIVE.search(found[4] or "") is not None
    name = (found[4] or "").strip() or f"test {found[3]}"
    return Point(line, indent, passed, name, number_in(found[3]), parents)


def _read_below(stream: Stream, line: LogLine, *, hole: bool) -> None:
    count = _COUNT.match(line.text)
    if count:
        stream.counts[count[1]] = number_in(count[2])
        _touch(stream, line)
        return
    point = stream.points[-1] if stream.points else None
    is_comment = line.text.lstrip().startswith("#")
    if (
        point is not None
        and not hole
        and len(point.lines) < LONGEST_BLOCK
        and _is_below(point, line, is_comment=is_comment)
    ):
        point.lines.append(line)
        stream.last = line.number
    elif is_comment:
        stream.comments.append(line)


def _is_below(point: Point, line: LogLine, *, is_comment: bool) -> bool:
    """Whether a line belongs to the point right above: it is deeper, blank, or a comment, and nothing lies between."""
    before = point.lines[-1] if point.lines else point.line
    if line.number != before.number + 1 or len(point.lines) >= LONGEST_BLOCK:
        return False
    return is_comment or not line.text.strip() or line.text.startswith(" " * (point.indent + 1))


def is_node(stream: Stream) -> bool:
    """Whether node's own runner wrote it: it tells how long each test took."""
    return any(line.text.strip().startswith("duration_ms:") for point in stream.points[:5] for line in point.lines)


def failed_points(stream: Stream) -> list[Point]:
    """Return what failed by itself, without subtests that only hold a failed one."""
    failed = [point for point in stream.points if not point.passed]
    holders = {point.parents[:depth] for point in failed for depth in range(1, len(point.parents) + 1)}
    return [
        point
        for point in failed
        if (*point.parents, point.name) not in holders and _field(point, "failureType") not in _AGGREGATES
    ]


def count_points(stream: Stream, tally: Tally) -> None:
    """Add a stream's own counts, else those of its outermost points, and the part of the log it takes up."""
    top = [point for point in stream.points if not point.indent]
    failed = stream.counts.get("fail", sum(not point.passed for point in top))
    passed = stream.counts.get("pass", sum(point.passed for point in top))
    tally.add(passed=passed, failed=failed)
    reached = max((point.number for point in top), default=0)
    if stream.planned is not None and 0 < reached < stream.planned:
        tally.not_run.append(f"{stream.planned - reached} of {stream.planned} planned tests never ran")
    tally.wrote(stream.first, stream.last)


def failure_at(point: Point, runner: str, stream: Stream) -> TestFailure:
    """Build the failure of a point from the YAML or the comments below it."""
    told, file = _told_by_yaml(point, stream) if _has_yaml(point) else _told_by_comments(point)
    outcome = Outcome.FAILED
    if _field(point, "failureType") == "testTimeoutFailure" or "timed out after" in told.message:
        outcome = Outcome.TIMED_OUT
    elif _field(point, "exitCode") and _field(point, "error") == _UNLOADED:
        outcome = Outcome.NOT_COLLECTED
    name = point.path
    if file and relative_path(name) == file:
        name = file
    elif file and runner != NAME:
        name = f"{file} › {name}"
    return failure_of([point.line, *point.lines], told, test_id=name, runner=runner, outcome=outcome, file=file)


def _has_yaml(point: Point) -> bool:
    return any(line.text.strip() == "---" for line in point.lines[:3])


def _field(point: Point, name: str) -> str:
    for line in point.lines[:200]:
        found = _FIELD.match(line.text.strip())
        if found and found[1] == name:
            return _unquoted(found[2])
    return ""


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1].replace("''", "'") if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _told_by_yaml(point: Point, stream: Stream) -> tuple[Told, str | None]:
    message, number = _text_of(point, "error", "message")
    if not message:
        said = [(name, *_text_of(point, name)) for name in ("operator", "expected", "actual")]
        parts = [f"{name}: {value}" for name, value, _ in said if value]
        message = " ".join((point.name, *parts))
        number = next((place for _, _, place in said if place), point.line.number)
    frames = _frames(point)
    location = _location(_field(point, "location") or _field(point, "at"))
    file = location.path if location else None
    told = Told(message=message, line=number, exception=_field(point, "name") or None, frames=frames)
    if message == _UNLOADED:
        told = _told_before(stream, point, told)
    return told, file


def _text_of(point: Point, *names: str) -> tuple[str, int]:
    """Return the value of the first of these fields, which may have several lines, and the line that begins it."""
    for index, line in enumerate(point.lines):
        found = _FIELD.match(line.text.strip())
        if not found or found[1] not in names:
            continue
        if found[2] not in {"|-", "|", ">-", ">"}:
            return _unquoted(found[2]), line.number
        words: list[LogLine] = []
        depth = len(line.text) - len(line.text.lstrip())
        for below in point.lines[index + 1 : index + 30]:
            if below.text.strip() and len(below.text) - len(below.text.lstrip()) <= depth:
                break
            words += [below] if below.text.strip() else []
        if words:
            return " ".join(word.text.strip() for word in words), words[0].number
    return "", 0


def _told_before(stream: Stream, point: Point, told: Told) -> Told:
    """A file that could not be loaded says only that it failed; what happened stands in the comments above it."""
    above = [line for line in stream.comments if line.number < point.line.number]
    for line in reversed(above):
        text = line.text.lstrip("# ").strip()
        if javascript.is_error(text):
            said = javascript.told_by([type(line)(line.number, text)])
            return Told(message=said.message, line=line.number, exception=said.exception)
    return told


def _frames(point: Point) -> tuple[Frame, ...]:
    found = (javascript.frame_in(text if text.startswith("at ") else f"at {text}") for text in _stack(point))
    frames = [frame for frame in found if frame is not None and frame.in_repository]
    return tuple(dict.fromkeys(reversed(frames)))[:40]


def _stack(point: Point) -> list[str]:
    for index, line in enumerate(point.lines):
        if line.text.strip().startswith("stack:"):
            return [below.text.strip() for below in point.lines[index + 1 :]]
    return []


def _location(text: str) -> Frame | None:
    found = re.search(r"\(?((?:file://)?[^\s():]+\.\w+):(\d+):\d+\)?$", text)
    return Frame(relative_path(found[1].removeprefix("file://")), line_in(found[2])) if found else None


def _told_by_comments(point: Point) -> tuple[Told, str | None]:
    """Read the comments of bats and of Perl's Test::More."""
    said: list[LogLine] = []
    frames: list[Frame] = []
    for line in point.lines:
        place = _BATS_PLACE.match(line.text) or _PERL_PLACE.match(line.text)
        if place:
            frames.append(Frame(relative_path(place[1].rstrip(",")), line_in(place[2])))
        elif line.text.strip("# "):
            said.append(line)
    message = " ".join(line.text.strip("# ") for line in said[:20]) or point.name
    best = next((line for line in said if "failed" in line.text), said[0] if said else point.line)
    return Told(message=message, line=best.number, frames=tuple(frames)), frames[0].path if frames else None


def _read_prove(lines: Sequence[LogLine]) -> TestReport | None:
    """Read what is seen of tests when `prove` keeps their points to itself: their complaints, and its summary."""
    failures: list[TestFailure] = []
    files: list[TestFailure] = []
    finished = False
    ran = failed = 0
    for index, line in enumerate(lines):
        if complaint := _COMPLAINT.match(line.text):
            failures.append(_complaint(lines, index, complaint[1] or ""))
        elif proved := _PROVED.match(line.text):
            failed += number_in(proved[4])
            files.append(_proved(line, proved))
        elif counted := _PROVE_FILES.match(line.text):
            ran += number_in(counted[2])
        finished = finished or _PROVE_RESULT.match(line.text) is not None
    if not finished:
        return None
    told = {failure.file for failure in failures}
    failures += [one for one in files if one.file not in told]
    return TestReport(runners=(NAME,), ran=ran, passed=max(0, ran - failed), failures=tuple(failures) if files else ())


def _complaint(lines: Sequence[LogLine], index: int, name: str) -> TestFailure:
    end = block_end(lines, index, lambda text: not text.startswith("#") or bool(_COMPLAINT.match(text)))
    point = Point(lines[index], 0, passed=False, name=name or "test", lines=list(lines[index + 1 : end]))
    told, file = _told_by_comments(point)
    test_id = f"{file} › {point.name}" if file else point.name
    return failure_of(lines[index:end], told, test_id=test_id, runner=NAME, file=file)


def _proved(line: LogLine, proved: re.Match[str]) -> TestFailure:
    message = f"{proved[4]} of {proved[3]} tests failed, exit status {number_in(proved[2]) >> 8}"
    told = Told(message=message, line=line.number)
    return failure_of([line], told, test_id=proved[1], runner=NAME, file=relative_path(proved[1]))
