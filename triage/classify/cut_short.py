"""Whether a package that does not have its hash was cut short on its way, or whether the wrong hash is written down.

pip words both alike. The address under which the index offers a file ends in the hash that the index tells. A file that
has not that hash, though it was asked for, did not arrive as it was sent; a file that has it, and was asked for under
another, is whole, and what is written down in the repository is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.classify.story import Story
    from triage.model import Failure, LogLine
    from triage.rules.match import Match

TELLS_OF_HASH = "hash-mismatch"
CUT_SHORT = "pip-download-cut-short"
"""The rule that claims nothing, and the one that this proof stands for."""

_HEADING = regex(r"THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE")
_NAMES = regex(r"^ {4}\S")
_OFFERED = regex(
    r"^ {4}[\w.-]+(?:\[[\w.,-]+\])?(?:[<>=~!][^@ ]*)? "
    r"from https?://\S+?/(?:simple/|packages/|\+f/)\S+#sha256=(?P<told>[0-9a-f]{64})(?: \(from .*\))?:$"
)
"""A package that an index offers; one that is asked for by its address has a hash of the repository's own."""

_EXPECTED = regex(r"^ +Expected +(?:sha256|or) +(?P<hash>[0-9a-f]{64})$")
_GOT = regex(r"^ +Got +(?P<hash>[0-9a-f]{64})$")
_LONGEST = 200
"""Lines under the heading; a package may be offered in a hundred files, each with a hash of its own."""


@dataclass(slots=True)
class _Package:
    """One package of the list, and what pip says of its hashes: each with the line that says so."""

    line: LogLine
    told: str | None
    expected: list[tuple[LogLine, str]] = field(default_factory=list)
    got: tuple[LogLine, str] | None = None

    @property
    def is_cut_short(self) -> bool:
        """Whether the file was asked for under the hash that the index tells, and has another."""
        asked = {told for _, told in self.expected}
        return self.got is not None and self.told in asked and self.got[1] not in asked

    @property
    def lines(self) -> Iterator[LogLine]:
        """What shows it."""
        yield self.line
        yield from (line for line, _ in self.expected[:1])
        yield from (self.got or ())[:1]


def cut_short(story: Story, code: Sequence[Match]) -> Failure | None:
    """Return the answer when hashes are all that `code` is blamed for, and every file was cut short on its way."""
    if not code or any(match.rule.id != TELLS_OF_HASH for match in code) or not _HEADING.search(code[-1].line.text):
        return None
    rule = next((rule for rule in story.context.rules.rules if rule.id == CUT_SHORT), None)
    heading = code[-1].line
    packages = _packages(story.view.between(heading.number + 1, heading.number + _LONGEST))
    if rule is None or not packages or not all(package.is_cut_short for package in packages):
        return None
    lines = [line for package in packages for line in package.lines]
    return story.from_match(replace(code[-1], rule=rule), [heading, *lines])


def _packages(lines: Sequence[LogLine]) -> list[_Package]:
    """Read the list under the heading; what has no form of pip's ends it."""
    packages: list[_Package] = []
    for line in lines:
        if _NAMES.match(line.text):
            offered = _OFFERED.match(line.text)
            packages.append(_Package(line, offered["told"] if offered else None))
        elif packages and (found := _EXPECTED.match(line.text)):
            packages[-1].expected.append((line, found["hash"]))
        elif packages and (found := _GOT.match(line.text)):
            packages[-1].got = (line, found["hash"])
        elif line.text.strip():
            break
    return packages
