"""Where an error itself points: files and lines that compilers, linters and scripts name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.model import Frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from triage.model import LogLine

_FORMS: tuple[re.Pattern[str], ...] = (
    re.compile(r"(?P<path>[\w./@+-]*\w\.[A-Za-z]\w{0,9})[:(](?P<line>\d+)"),  # src/a.c:12:3:  src/a.ts(41,5):
    re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+)'),  # Python
    re.compile(r"--> (?P<path>[\w./@+-]+):(?P<line>\d+)"),  # rustc, clippy
    re.compile(r"CMake Error at (?P<path>[\w./@+-]+):(?P<line>\d+)"),
    re.compile(r"(?P<path>[\w./@+-]*\w\.[A-Za-z]\w{0,9}):? line (?P<line>\d+)"),  # scripts: build.sh: line 12:
    re.compile(r"^(?:would reformat|reformatted|Fixing|\[warn\]) (?P<path>[\w./@+-]+\.\w+)(?P<line>)$"),
)

_CHECKOUT = re.compile(
    r"^(?:/home/runner/work/[^/]+/[^/]+/|/__w/[^/]+/[^/]+/|/github/workspace/|[A-Z]:\\a\\[^\\]+\\[^\\]+\\)"
)
_FOREIGN = re.compile(
    r"site-packages|dist-packages|node_modules|/go/pkg/mod/|\.cargo/registry|/usr/(?:lib|include)|/opt/"
)


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
