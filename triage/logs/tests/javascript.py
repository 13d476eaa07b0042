"""Errors as JavaScript runners print them: a header, what it says, a picture of the code, frames, and causes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import Told, line_in
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine

# `TypeError: words`, `AssertionError [ERR_ASSERTION]: words`, `[vitest] Error: words`.
_HEADER = regex(
    r"(?:Uncaught )?(?:\[[\w-]+\] )?([A-Z]\w*(?:Error|Exception|Failure|Warning|Rejection)|Error)(?: \[\w+\])*: ?(.*)$"
)
_CAUSE = regex(r"(?:Caused by|\[cause\]|Cause): ?(.*)$")
_PICTURE = regex(r"(?:[>❯] *+)?\d*+ *+\|(?: |$)")
_FRAME = regex(r"(?:at|❯) (?:async )?(?:(.+?) \()?((?:[a-z]+:/{2,3})?[^\s()]+?):(\d+)(?::\d+)?\)?$")
_FIREFOX = regex(r"([^@\s]*)@([^@\s]+?):(\d+)(?::\d+)?(?: <- \S+)?$")
_BARE = regex(r"(?:([\w.<>$ ]+) \()?((?:file://|/)[^\s()]+?):(\d+)(?::\d+)?\)?$")
# What stands above a comparison; of its lines those with a sign tell the difference.
_LEGEND = regex(r"[-+] (?:Expected|Received|Snapshot)\b|\+ (?:expected - actual|actual - expected)|- Expected|@@ ")
_FOREIGN = regex(
    r"node_modules/|^node:|^internal/|^<|^native$|^webpack/|^webpack-internal|\bbootstrap:|/\.npm/|/\.yarn/"
)
_LOCATION = regex(r"^(?:file://|webpack:///(?:\./)?|https?://[^/]+/(?:base/|_karma_webpack_/)?|@)|\?[\w=.-]*$")

_MOST_WORDS = 20


def told_by(block: Sequence[LogLine]) -> Told:
    """Read the first error of a block; of several causes the deepest is told.

    Args:
        block: Lines of one failed test below its name.
    """
    errors: list[_Error] = []
    for line in block:
        text = line.text.strip()
        cause = _CAUSE.match(text)
        if cause:
            # Jest puts the error on the line below.
            errors.append(_Error(line.number if cause[1] else 0, cause[1]))
        elif not errors:
            errors += [_Error(line.number, text)] if _is_word(text) else []
        else:
            errors[-1].read(line, text)
    said = [error for error in errors if error.line]
    if not said:
        return Told()
    top, deepest = said[0], said[-1]
    frames = dict.fromkeys((*reversed(top.frames), *reversed(deepest.frames)))
    return Told(
        message=deepest.message,
        line=deepest.line,
        exception=deepest.exception,
        wrapped_by=top.exception if deepest is not top else None,
        frames=tuple(frames)[:40],
    )


def frame_in(text: str) -> Frame | None:
    """Return the frame that a stripped line holds, in any of the notations; None where it holds none."""
    found = _FRAME.match(text) or _FIREFOX.match(text) or _BARE.match(text)
    if not found:
        return None
    path = _LOCATION.sub("", found[2])
    if "." not in path.rpartition("/")[2]:
        return None
    in_repository = _FOREIGN.search(path) is None
    line = line_in(found[3])
    return Frame(relative_path(path), line, (found[1] or "").strip(), in_repository=in_repository)


def is_error(text: str) -> bool:
    """Whether a stripped line begins with the name of an error and a colon."""
    return _HEADER.match(text) is not None


def _is_word(text: str) -> bool:
    return bool(text) and not _PICTURE.match(text) and not text.startswith(("at ", "❯ "))


class _Error:
    """One error of the chain: type and words up to the picture of the code or the first frame, and its frames.

    `line` is 0 until the error's own words were read.
    """

    def __init__(self, line: int, text: str) -> None:
        self.line = line
        self.exception: str | None = None
        self.frames: list[Frame] = []
        self._words: list[str] = []
        self._open = True
        self._in_diff = False
        self._begin(text)

    @property
    def message(self) -> str:
        return " ".join(self._words)

    def _begin(self, text: str) -> None:
        found = _HEADER.match(text)
        self.exception = found[1] if found else None
        words = (found[2] if found else text).strip().rstrip("{").strip()
        self._words = [words] if words else []

    def read(self, line: LogLine, text: str) -> None:
        """Read a line below the header, and the line as it is without blanks around it."""
        if text.endswith("<Jasmine>") or text.startswith("error properties: "):
            return
        if not self.line:
            if text:
                self.line = line.number
                self._begin(text)
            return
        frame = frame_in(text)
        if frame and frame.in_repository:
            self.frames.append(frame)
        if frame or _PICTURE.match(text) or text.startswith("at "):
            self._open = False
        elif self._open and text:
            self._read_words(line, text)

    def _read_words(self, line: LogLine, text: str) -> None:
        """Of a comparison only the lines that differ are words."""
        if _LEGEND.match(text):
            self._in_diff = True
        elif len(self._words) < _MOST_WORDS and (not self._in_diff or text.startswith(("-", "+"))):
            self._words.append(text)
            if self.exception and len(self._words) == 1:
                self.line = line.number
