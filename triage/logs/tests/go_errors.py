"""What Go's tests, its runtime and its compiler print of an error."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import NOTHING_TOLD, Told, line_in
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine

_SAID = regex(r"[ \t]*([\w./@-]+\.go):(\d+):(?: (.*))?$")
_PLACE = regex(r"([\w./@-]+\.go):(\d+)")
_COMPILER = regex(r"(?:vet: )?([\w./@-]+\.(?:go|s|c|h|cc|cpp)):(\d+)(?::(\d+))?: (.*)")
_FRAME_PLACE = regex(r"\s+(\S+\.(?:go|s)):(\d+)(?: \+0x[0-9a-f]+)?$")
_FRAME_NAME = regex(r"([\w./@*()~-]+?)\((?:\.\.\.|0x|\{|\)|[0-9a-z*])")
_PANIC = regex(r"\t?(panic|fatal error|runtime error): (.*)")
_TIMED_OUT = regex(r"test timed out after \S+")
_GOROUTINE = regex(r"goroutine \d+ ")
_RUNNING_TEST = regex(r"\t(Test\S+|Example\S+|Fuzz\S+) \([\dhms.]+\)$")
_TEST_FUNCTION = regex(r"\.((?:Test|Example|Fuzz)[^.(/]*)(?:\.func\d+)*\(")
_TESTIFY = regex(r"\s*(Error Trace|Error|Test|Messages):\s*(.*)")

_CRASHES = ("panic: ", "fatal error: ", "unexpected fault address", "SIGABRT: ", "SIGSEGV: ", "SIGQUIT: ")
_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})

# Of several messages of one test, the one that tells of a mistake; others are its notes.
_WORDS_OF_FAILURE = regex(
    r"\b(?:want(?:ed)?|expect(?:ed)?|got|error|err|fail(?:ed|ure)?|unexpected|mismatch|differ|not|invalid|cannot"
    r"|timed? ?out|timeout|should|must|missing|panic|wrong|bad|refused|denied|no such)\b|!=|≠",
    re.IGNORECASE,
)
# Of several lines of one message, the one that names what the system answered.
_ANSWER_OF_SYSTEM = regex(
    r"\bdial \w+|i/o timeout|connection (?:refused|reset)|no such host|no such file|permission denied|no space left"
    r"|TLS handshake|deadline exceeded|out of memory"
)
_SYSTEM = regex(
    r"/go(?:-\d[\d.]*)?/src/(?:runtime|testing|reflect|sync|internal|net|os|time)/|/pkg/mod/|/vendor/|^_testmain\.go$"
)


def told_by_test(lines: Sequence[LogLine], folder: str = "") -> Told:
    """Read the messages a test wrote with `t.Error` and its like; testify's many lines are one message.

    Args:
        lines: What the test wrote.
        folder: Where the package lies, with a slash at its end: file names are printed without it.
    """
    messages = _messages(lines, folder)
    if not messages:
        return _told_by_words(lines)
    chosen = next((one for one in messages if _WORDS_OF_FAILURE.search(one.message)), messages[-1])
    frames = tuple(dict.fromkeys(frame for one in messages for frame in one.frames))
    return Told(message=chosen.message, line=chosen.line, frames=frames[:40])


def says_why(lines: Sequence[LogLine]) -> bool:
    """Whether a test's own lines hold a message."""
    return any(_SAID.match(line.text) for line in lines)


def folder_of(package: str) -> str:
    """Return the folder of a package below the repository, with a slash; "" for the topmost and for an unknown one.

    A module's path is host, owner and repository on the big hosts, mostly host and name elsewhere.
    """
    parts = package.split("/")
    own = 3 if parts[0] in _HOSTS else 2 if "." in parts[0] else 1
    return "".join(f"{part}/" for part in parts[own:] if not re.fullmatch(r"v\d+", part))


def begins_crash(lines: Sequence[LogLine]) -> bool:
    """Whether these lines are the first of what Go's runtime prints when the process dies, not a test's own words."""
    return lines[0].text.startswith(_CRASHES) and is_crash(lines)


def is_crash(lines: Sequence[LogLine]) -> bool:
    """Whether the runtime really died: it then prints goroutines; a test that prints `panic:` does not."""
    return any(_GOROUTINE.match(line.text) or line.text.startswith("[signal ") for line in lines[:40])


def told_by_crash(lines: Sequence[LogLine]) -> tuple[Told, str, bool]:
    """Read a panic or a fatal error: what it says, the test that was running, and whether time was up."""
    said = next((found for line in lines if (found := _PANIC.match(line.text))), None)
    timed_out = said is not None and _TIMED_OUT.match(said[2]) is not None
    test = _running_test(lines)
    message = re.sub(r" \[recovered.*\]$", "", said[2]) if said else lines[0].text
    told = Told(
        message=f"{message} in {test}" if timed_out and test else message,
        line=lines[0].number,
        exception=said[1] if said and not timed_out else None,
        frames=_frames(lines, test),
    )
    return told, test, timed_out


def is_compile_error(text: str) -> bool:
    """Whether the compiler or `go vet` names a place and what is wrong there."""
    return _COMPILER.match(text) is not None


def told_by_compiler(lines: Sequence[LogLine]) -> Told:
    """Read the first error below a `# package` line."""
    for line in lines:
        found = _COMPILER.match(line.text)
        if found:
            path = relative_path(found[1])
            return Told(message=found[4], line=line.number, frames=(Frame(path, line_in(found[2])),))
    return NOTHING_TOLD


def told_by_last_words(lines: Sequence[LogLine], verdict: LogLine) -> Told:
    """Read the last thing a test binary printed before it ended without naming a test."""
    for line in reversed(lines[-50:]):
        text = line.text.strip()
        if text and not text.startswith(("exit status", "FAIL", "PASS", "coverage:")):
            return Told(message=text, line=line.number)
    return Told(line=verdict.number)


def _messages(lines: Sequence[LogLine], folder: str) -> list[Told]:
    begun: list[list[LogLine]] = []
    for line in lines:
        if _SAID.match(line.text) or (line.text.strip().startswith("Error Trace:") and not _opens_testify(begun)):
            begun.append([line])
        elif begun and len(begun[-1]) < 60:
            begun[-1].append(line)
    return [_message(message, folder) for message in begun]


def _opens_testify(begun: list[list[LogLine]]) -> bool:
    """Whether the message above is only the place that testify prints before its table."""
    found = _SAID.match(begun[-1][0].text) if begun and len(begun[-1]) == 1 else None
    return found is not None and not (found[3] or "").strip()


def _message(lines: Sequence[LogLine], folder: str) -> Told:
    found = _SAID.match(lines[0].text)
    first = (found[3] or "").strip() if found else ""
    testify = _testify(lines)
    places = [(found[1], found[2])] if found else [place for line in lines for place in _PLACE.findall(line.text)]
    frames = tuple(_frame(path, number, folder) for path, number in places[:10])
    if testify:
        return Told(message=testify.message, line=testify.line, frames=frames)
    body = [line for line in lines[1:20] if line.text.strip()]
    best = next((line for line in (lines[0], *body) if _ANSWER_OF_SYSTEM.search(line.text)), lines[0])
    words = " ".join(line.text.strip() for line in body)
    return Told(message=f"{first} {words}".strip(), line=best.number, frames=frames)


def _frame(path: str, number: str, folder: str) -> Frame:
    return Frame(relative_path(path) if "/" in path else f"{folder}{path}", line_in(number))


def _testify(lines: Sequence[LogLine]) -> Told | None:
    """Read `Error Trace: / Error: / Test: / Messages:`; what counts is `Error:` with what it goes on to say."""
    part, number = "", 0
    words: list[str] = []
    notes: list[str] = []
    for line in lines:
        found = _TESTIFY.match(line.text)
        if found:
            part = found[1]
            number = line.number if part == "Error" and not number else number
        text = (found[2] if found else line.text).strip()
        if part == "Error":
            words.append(text)
        elif part == "Messages":
            notes.append(text)
    return Told(message=" ".join(filter(None, (*words, *notes))), line=number) if number else None


def _told_by_words(lines: Sequence[LogLine]) -> Told:
    """An example's `got:` and `want:`, or whatever stands there."""
    spoken = [line for line in lines if line.text.strip()]
    if not spoken:
        return NOTHING_TOLD
    return Told(message=" ".join(line.text.strip() for line in spoken[:20]), line=spoken[0].number)


def _running_test(lines: Sequence[LogLine]) -> str:
    for line in lines:
        found = _RUNNING_TEST.match(line.text) or _TEST_FUNCTION.search(line.text)
        if found:
            return found[1]
    return ""


def _frames(lines: Sequence[LogLine], test: str) -> tuple[Frame, ...]:
    """Frames of the first goroutine that runs the test's code, outermost first; of the first one where none does."""
    goroutines: list[list[Frame]] = [[]]
    function = ""
    for line in lines:
        place = _FRAME_PLACE.match(line.text)
        name = _FRAME_NAME.match(line.text)
        if _GOROUTINE.match(line.text):
            goroutines.append([])
        elif place:
            path = relative_path(place[1])
            in_repository = _SYSTEM.search(place[1]) is None
            goroutines[-1].append(Frame(path, line_in(place[2]), function, in_repository=in_repository))
        function = name[1] if name else ""
    told = next((one for one in goroutines if any(test and f".{test}" in frame.function for frame in one)), None)
    chosen = told if told is not None else next((one for one in goroutines if one), [])
    return tuple(frame for frame in reversed(chosen) if frame.in_repository)[:40]
