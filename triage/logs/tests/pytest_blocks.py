"""Reads the block that pytest prints of one failure: the chain of exceptions, its frames, the line that says it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from triage.logs.tests import wrappers
from triage.logs.tests.printed import Printed, hidden_cause
from triage.logs.tests.pytest_lines import is_captured
from triage.logs.tests.source_paths import frame_of
from triage.logs.tests.traceback import (
    Chain,
    Link,
    Raised,
    bare_exception,
    link_in,
    message_of,
    read_chains,
    root_of,
)
from triage.model import LogLine
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from triage.model import Frame

_ERROR = regex(r"E(?:   |\s*$)")
# A class, and the few of the standard library that are written small.
_TYPED = regex(
    r"((?:[A-Za-z_]\w*\.(?:<locals>\.)?)*(?=[A-Z0-9_]*[a-z])_*[A-Z]\w*"
    r"|(?:socket|select|struct|zlib|binascii|asyncio|ssl|queue)\.\w+)(?:: ?(.*))?$"
)
_LOCATION = regex(r"((?:[^\s:][^:]{0,400})?(?:\.\w{1,5}|>)):(\d+): ?(?:in (\S.{0,200})|([A-Za-z_][\w.]*))?\s*$")
_WINDOWS_LOCATION = regex(r"([A-Za-z]:\\[^:]{1,400}):(\d+): ?(?:in (\S.{0,200})|([A-Za-z_][\w.]*))?\s*$")
_DEFINITION = regex(r">?\s+(?:async )?def (\w+)\(")
_DOCTEST = ("Expected:", "Expected nothing", "UNEXPECTED EXCEPTION")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a block says. `exception` is None for a plain `assert` whose type was not printed; lines are raw numbers."""

    exception: str | None
    message: str
    error_line: int
    frames: tuple[Frame, ...] = ()
    wrapped_by: str | None = None


def read_block(lines: Sequence[LogLine], live: Printed) -> Reading | None:
    """Read a block without its title; None when nothing in it states an error.

    What the test printed counts only where the error itself is a mere wrapper: the captured sections of the block,
    else `live`, what was printed while the tests ran.
    """
    body, captured = _apart(lines)
    chain = _chain_of(body, _raised_in)
    if not chain:
        return _doctest(body)
    return _reading_of(chain, Printed(captured) if captured else live)


def read_marked(lines: Sequence[LogLine], live: Printed) -> Reading | None:
    """Read lines that are no block: output of a test, with the error only where pytest's own `E` marks it."""
    chain = _chain_of(lines, _marked_in)
    return _reading_of(chain, live) if chain else None


def is_error_line(text: str) -> bool:
    """Whether pytest marks the line as part of an error: `E   assert 1 == 2`."""
    return text.startswith("E") and _ERROR.match(text) is not None


def _reading_of(chain: Chain, printed: Printed) -> Reading:
    root = root_of(chain)
    cause = hidden_cause(root, printed)
    raised = cause.raised or root.raised
    return Reading(
        exception=raised.type or None,
        message=raised.message,
        error_line=cause.error_line or raised.line,
        frames=cause.frames,
        wrapped_by=cause.wrapper.type if cause.wrapper else None,
    )


def _apart(lines: Sequence[LogLine]) -> tuple[Sequence[LogLine], Sequence[LogLine]]:
    """Part a block into the error and what the test printed."""
    for index, line in enumerate(lines):
        if is_captured(line.text):
            return lines[:index], lines[index:]
    return lines, ()


def _chain_of(body: Sequence[LogLine], read: Callable[[Sequence[LogLine]], Raised | None]) -> Chain:
    """Read the exceptions, oldest first: pytest prints one part for each, with the sentences that link them between."""
    chain: list[Raised] = []
    part: list[LogLine] = []
    for line in body:
        link = link_in(line.text) if not line.text.startswith(("E", " ", ">")) else Link.NONE
        if link is Link.NONE:
            part.append(line)
            continue
        raised = read(part)
        if raised is not None:
            chain.append(replace(raised, link=link))
        part = []
    raised = read(part)
    return (*chain, raised) if raised is not None else tuple(chain)


def _marked_in(part: Sequence[LogLine]) -> Raised | None:
    """Read the exception of a part from its `E` lines."""
    errors = _last_errors(part)
    return _from_errors(errors, *_frames_in(part)) if errors else None


def _raised_in(part: Sequence[LogLine]) -> Raised | None:
    """Read the exception of a part: from its `E` lines, else a traceback in Python's own style, else a bare line."""
    marked = _marked_in(part)
    if marked is not None:
        return marked
    native = read_chains(part)
    if native:
        root = root_of(native[-1])
        # A group keeps its members: which of them is the cause is told where the whole chain is known.
        return native[-1][0] if len(native[-1]) == 1 else replace(root.raised, frames=root.frames)
    stated = next((raised for line in part if (raised := bare_exception(line)) is not None), None)
    return replace(stated, frames=_frames_in(part)[0]) if stated is not None else None


def _last_errors(part: Sequence[LogLine]) -> list[LogLine]:
    """Return the last run of lines marked with `E` that names an exception, without the mark and its indent."""
    runs: list[list[LogLine]] = []
    open_run = False
    for line in part:
        is_error = _ERROR.match(line.text) is not None
        if is_error and not open_run:
            runs.append([])
        if is_error:
            runs[-1].append(line)
        open_run = is_error
    straight = [_without_mark(run) for run in runs]
    typed = [run for run in straight if any((found := _TYPED.match(line.text)) and found[2] for line in run[:6])]
    return (typed or straight or [[]])[-1]


def _without_mark(run: Sequence[LogLine]) -> list[LogLine]:
    indent = min((len(text) - len(text.lstrip()) for line in run if (text := line.text[1:]).strip()), default=0)
    return [LogLine(line.number, line.text[1:][indent:], line.at, line.step) for line in run]


def _from_errors(errors: Sequence[LogLine], frames: tuple[Frame, ...], type_at_end: str) -> Raised:
    # What stands deeper before it is the source that a `SyntaxError` quotes.
    first = next((line for line in errors if line.text.strip() and not line.text.startswith(" ")), errors[0])
    following = [line.text for line in errors if line.number > first.number]
    typed = _TYPED.match(first.text)
    # The last location names the class: then a first word such as `Note: ` is not taken for one.
    if typed and (not type_at_end or wrappers.short_name(typed[1]) == type_at_end):
        kind, message = typed[1], message_of(typed[2] or "", following)
    else:
        kind, message = type_at_end, message_of(first.text, following)
    if not kind and first.text.startswith("assert "):
        kind = "AssertionError"
    return Raised(
        type=kind,
        message=message,
        frames=frames,
        first_line=first.number,
        line=first.number,
        parts=_traceback_in_message(errors),
    )


def _traceback_in_message(errors: Sequence[LogLine]) -> tuple[Chain, ...]:
    """Read the traceback of another process that an exception has for a message; not one in a comparison of texts."""
    return read_chains([line for line in errors if not line.text.lstrip().startswith(("+", "-", "?", "'", '"'))])


def _frames_in(part: Sequence[LogLine]) -> tuple[tuple[Frame, ...], str]:
    """Return the frames, outermost first, and the exception's type where the last location names it."""
    frames: list[Frame] = []
    function, type_at_end = "", ""
    for line in part:
        text = line.text
        defined = _DEFINITION.match(text)
        if defined:
            function = function or defined[1]
        located = None
        if ":" in text and not text.startswith((" ", "E ", ">")):
            located = _LOCATION.match(text) or _WINDOWS_LOCATION.match(text)
        if located:
            frames.append(frame_of(located[1], located[2], located[3] or function))
            type_at_end = located[4] or type_at_end
            function = ""
    return tuple(frames), type_at_end


def _doctest(body: Sequence[LogLine]) -> Reading | None:
    """Read the difference that a doctest prints; it has no traceback."""
    for index, line in enumerate(body):
        if line.text.startswith(_DOCTEST):
            frames, type_at_end = _frames_in(body)
            told = [other.text for other in body[index : index + 6] if not _LOCATION.match(other.text)]
            return Reading(type_at_end or None, message_of("", told), line.number, frames)
    return None


def plain_text(lines: Sequence[LogLine]) -> Reading | None:
    """Read a block that states no exception: its first words are the message (`[XPASS(strict)] why`).

    One that holds only what the test printed has no words of its own: the test ran in processes that told of it.
    """
    body, captured = _apart(lines)
    spoken = next((line for line in body if line.text.strip() and not line.text.startswith("[gw")), None)
    if spoken is None and captured:
        return guess_from(Printed(captured), Reading(None, "", captured[0].number))
    return Reading(None, message_of(spoken.text, ()), spoken.number) if spoken is not None else None


def of_summary(message: str, line: int) -> Reading:
    """Read what the short summary says of a failure: all there is when tracebacks are switched off."""
    typed = _TYPED.match(message)
    if typed and (typed[2] or wrappers.is_mistake(typed[1]) or typed[1].endswith(("Error", "Exception"))):
        return Reading(typed[1], message_of(typed[2] or "", ()), line)
    return Reading(
        "AssertionError" if message.startswith("assert ") else None, message_of(message, ()) if message else "", line
    )


def look_behind(told: Reading, printed: Printed) -> Reading:
    """Look for the cause in what was printed, where what is told of a failure only passes something on."""
    if told.exception is None or not wrappers.hides_cause(told.exception, told.message):
        return told
    line = told.error_line
    return _reading_of((Raised(type=told.exception, message=told.message, first_line=line, line=line),), printed)


def read_internal_error(lines: Sequence[LogLine], before: Sequence[LogLine]) -> Reading:
    """Read the traceback of pytest's own failure; `before` was printed just ahead of it."""
    chains = read_chains(lines)
    if not chains:
        return plain_text(lines) or Reading(None, "", lines[0].number)
    return _reading_of(chains[-1], Printed(before))


def guess_from(printed: Printed, told: Reading) -> Reading:
    """Read a failure of which nothing was told but its name from what was printed while it ran."""
    cause = hidden_cause(None, printed)
    if cause.raised is not None:
        return Reading(cause.raised.type, cause.raised.message, cause.raised.line, cause.frames)
    return replace(told, error_line=cause.error_line or told.error_line)
