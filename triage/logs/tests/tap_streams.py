"""Streams of TAP: plan, test points, subtests, and what stands below a point in YAML or in comments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.logs.tests import javascript
from triage.logs.tests.failure_blocks import (
    LONGEST_BLOCK,
    Told,
    failure_of,
    is_aftermath,
    is_hole,
    line_in,
    number_in,
)
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame, Outcome
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.logs.tests.failure_blocks import Tally
    from triage.model import LogLine, TestFailure

_POINT = regex(r"( *)(not ok|ok)(?: +(\d+))?(?: +-)?(?: +(.*))?$")
_PLAN = regex(r"( *)1\.\.(\d+)")
_SUBTEST = regex(r"( *)# Subtest: (.+)$")
_DIRECTIVE = regex(r"#\s*(?:SKIP|TODO|skip|todo)\b")
_FIELD = regex(r"(\w+): ?(.*)$")
_COUNT = regex(r"# (tests|pass|fail|cancelled|ok) *(\d*)\s*$")
_LOCATION = regex(r"\(?((?:file://)?[^\s():]+\.\w+):(\d+):\d+\)?$")
_BATS_PLACE = regex(r"#? *\(?(?:from function .*, )?in test file (\S+), line (\d+)\)")
_PERL_PLACE = regex(r"#\s+at (\S+) line (\d+)\.")
_PERL_COUNT = regex(r"#\s+Looks like you (?:failed|planned)\b")
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


def failure_at(point: Point, runner: str, stream: Stream, *, with_file: bool = False) -> TestFailure:
    """Build a point's failure from the YAML or the comments below it; `with_file` puts the file before its name."""
    told, file = _told_by_yaml(point, stream) if _has_yaml(point) else told_by_comments(point)
    outcome = Outcome.FAILED
    if _field(point, "failureType") == "testTimeoutFailure" or "timed out after" in told.message:
        outcome = Outcome.TIMED_OUT
    elif _field(point, "exitCode") and _field(point, "error") == _UNLOADED:
        outcome = Outcome.NOT_COLLECTED
    name = point.path
    if file and relative_path(name) == file:
        name = file
    elif file and with_file:
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
    found = _LOCATION.match(text.rpartition(" ")[2])
    return Frame(relative_path(found[1].removeprefix("file://")), line_in(found[2])) if found else None


def told_by_comments(point: Point) -> tuple[Told, str | None]:
    """Read the comments of bats and of Perl's Test::More."""
    said: list[LogLine] = []
    frames: list[Frame] = []
    for line in point.lines:
        place = _BATS_PLACE.match(line.text) or _PERL_PLACE.match(line.text)
        if place:
            frames.append(Frame(relative_path(place[1].rstrip(",")), line_in(place[2])))
        elif line.text.strip("# ") and not _PERL_COUNT.match(line.text):
            said.append(line)
    message = " ".join(line.text.strip("# ") for line in said[:20]) or point.name
    best = next((line for line in said if "failed" in line.text), said[0] if said else point.line)
    return Told(message=message, line=best.number, frames=tuple(frames)), frames[0].path if frames else None
