"""Where an error itself points: files and lines that compilers, linters and scripts name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.model import Frame
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from triage.model import LogLine

_FORMS: tuple[re.Pattern[str], ...] = (
    regex(r"(?P<path>[\w./@+-]*\w\.[A-Za-z]\w{0,9})[:(](?P<line>\d+)"),  # src/a.c:12:3:  src/a.ts(41,5):
    regex(r'File "(?P<path>[^"]+)", line (?P<line>\d+)'),  # Python
    regex(r"--> (?P<path>[\w./@+-]+):(?P<line>\d+)"),  # rustc, clippy
    regex(r"CMake Error at (?P<path>[\w./@+-]+):(?P<line>\d+)"),
    regex(r"(?P<path>[\w./@+-]*\w\.[A-Za-z]\w{0,9}):? line (?P<line>\d+)"),  # scripts: build.sh: line 12:
    regex(r"^(?:would reformat|reformatted|Fixing|\[warn\]) (?P<path>[\w./@+-]+\.\w+)(?P<line>)$"),
)

_CHECKOUT = regex(
    r"^(?:/home/runner/work/[^/]+/[^/]+/|/__w/[^/]+/[^/]+/|/github/workspace/|[A-Z]:\\a\\[^\\]+\\[^\\]+\\)"
)
_FOREIGN = regex(r"site-packages|dist-packages|node_modules|/go/pkg/mod/|\.cargo/registry|/usr/(?:lib|include)|/opt/")


def places_of(lines: Iterable[LogLine]) -> tuple[Frame, ...]:
    """Return the places that error lines name, in their order, each once; paths relative to the checkout."""
    return tuple(dict.fromkeys(place for line in lines for place in _places(line.text)))


def _places(text: str) -> Iterator[Frame]:
    for form in _FORMS:
        for found in form.finditer(text):
            path = _CHECKOUT.sub("", found["path"]).removeprefix("./")
            if not path.startswith(("http", "//")):
                number = found["line"]
                yield Frame(path, int(number) if number else None, in_repository=not _FOREIGN.search(path))
