"""Exceptions as Java prints them: `Caused by:` chains, and frames that name a class instead of a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import Told, line_in
from triage.model import Frame
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine

# `java.lang.AssertionError: expected:<4> but was:<5>`; the last part of a type begins with a capital letter.
_HEADER = regex(r"(Caused by: |Suppressed: )?((?:[a-z_][\w$]*\.)*(?:[A-Z][\w$]*\.)*[A-Z][\w$]*)(?::(?: (.*))?)?$")
_CAUSED_BY_ALONE = ("Caused by:", "Caused by: ")
_FRAME = regex(r"at ([^()]+)\(([\w$-]+\.(?:java|kt|kts|scala|groovy|clj)):(\d+)\)")
# Gradle's short form: `java.lang.AssertionError at StoreTest.java:4`.
_SHORT = regex(r"(Caused by: )?([\w$.]++) at ([\w$-]+\.(?:java|kt|kts|scala|groovy)):(\d+)$")
_THROWABLE_WORDS = ("Error", "Exception", "Failure", "Fault", "Throwable", "TimedOut")

_MOST_FRAMES = 60

# The runtime, runners, and libraries that stand in nearly every trace; never what lies in the package of the test.
_FOREIGN = (
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "org.codehaus.groovy.",
    "org.junit.",
    "junit.",
    "org.testng.",
    "org.opentest4j.",
    "org.hamcrest.",
    "org.assertj.",
    "org.mockito.",
    "org.scalatest.",
    "sbt.",
    "munit.",
    "worker.org.gradle.",
    "org.gradle.",
    "org.apache.maven.",
    "org.springframework.",
)


def told_by(block: Sequence[LogLine], test_class: str = "") -> Told:
    """Read the first exception of a block and its chain of causes; the deepest is the one that is told.

    Args:
        block: Lines of one failed test.
        test_class: Its full class name; what lies in the same package belongs to the repository.
    """
    chain: list[_Thrown] = []
    bare_cause = False
    for line in block:
        text = line.text.strip()
        if text in _CAUSED_BY_ALONE:
            bare_cause = True
            continue
        started = _thrown(line, text, first=not chain, caused=bare_cause)
        if started:
            chain.append(started)
        elif chain:
            chain[-1].read(text, line)
        bare_cause = bare_cause and not text
    if not chain:
        return Told()
    top, deepest = chain[0], chain[-1]
    package = _package(test_class)
    return Told(
        message=deepest.message or next((one.message for one in reversed(chain) if one.message), ""),
        line=deepest.line.number,
        exception=deepest.exception,
        wrapped_by=top.exception if len(chain) > 1 else None,
        frames=_frames(chain, package),
    )


def is_throwable(text: str) -> bool:
    """Whether a line, stripped, begins an exception: its type sounds like one or is in a package."""
    found = _HEADER.match(text)
    return found is not None and ("." in found[2] or found[2].endswith(_THROWABLE_WORDS))


def file_of_class(name: str, frames: Sequence[Frame] = ()) -> str | None:
    """Return the end of the path of a class in a package, `com/acme/StoreTest.java`; None where it is in none.

    The frames tell the language; without one of the same class it is taken for Java.
    """
    stem = name.partition("$")[0].replace(".", "/")
    own_name = stem.rpartition("/")[2]
    files = (frame.path.rpartition("/")[2].rpartition(".") for frame in frames)
    language = next((ending for name_of_file, _, ending in files if name_of_file == own_name), "java")
    return f"{stem}.{language}" if "/" in stem else None


class _Thrown:
    """One exception of the chain: its type, the lines of its message up to the first frame, its frames."""

    def __init__(self, line: LogLine, exception: str, first: str) -> None:
        self.line = line
        self.exception = exception
        self.frames: list[tuple[str, str, int | None]] = []  # class and method, file, line; innermost first
        self._words = [first] if first else []
        self._in_message = True

    @property
    def message(self) -> str:
        return " ".join(self._words)

    def read(self, text: str, line: LogLine) -> None:
        found = _FRAME.match(text)
        if found:
            self.frames.append((found[1].rpartition("/")[2], found[2], line_in(found[3])))
        if found or text.startswith(("at ", "... ")):
            self._in_message = False
        elif self._in_message and text and len(self._words) < 40:
            self._words.append(text)
            if len(self._words) == 1:
                self.line = line


def _thrown(line: LogLine, text: str, *, first: bool, caused: bool) -> _Thrown | None:
    short = _SHORT.match(text)
    if short and (first or short[1]) and short[2].rpartition(".")[2][:1].isupper():
        thrown = _Thrown(line, short[2], "")
        thrown.frames.append(("", short[3], line_in(short[4])))
        return thrown
    found = _HEADER.match(text)
    if not found or not is_throwable(text) or found[1] == "Suppressed: ":
        return None
    if not (first or caused or found[1]):
        return None
    return _Thrown(line, found[2], (found[3] or "").strip())


def _package(class_name: str) -> str:
    """Return the first two parts of a class's package with a dot after them; "" where it has fewer."""
    parts = class_name.split(".")
    return ".".join(parts[:2]) + "." if len(parts) > 2 else ""


def _frames(chain: Sequence[_Thrown], package: str) -> tuple[Frame, ...]:
    """Outermost first: the frames of the exception that reached the runner, then those of the deepest cause.

    Frames of the runtime, runners and common libraries are left out: there are dozens in every trace.
    """
    told = [frame for thrown in dict.fromkeys((chain[0], chain[-1])) for frame in reversed(thrown.frames)]
    frames = (_frame(*frame, package) for frame in dict.fromkeys(told))
    return tuple(frame for frame in frames if frame.in_repository)[:_MOST_FRAMES]


def _frame(place: str, file: str, line: int | None, package: str) -> Frame:
    owner, _, method = place.strip().rpartition(".")
    folders = []
    for part in owner.split("."):
        if not part or not part[0].islower():
            break
        folders.append(part)
    path = "/".join((*folders, file))
    own = bool(package) and owner.startswith(package)
    return Frame(
        path, line, f"{owner}.{method}" if owner else method, in_repository=own or not owner.startswith(_FOREIGN)
    )
