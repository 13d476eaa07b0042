"""Frames as Ruby prints them: `./spec/cart_spec.rb:4:in 'block'`, innermost first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import line_in
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine

_FRAME = regex(r"\s*+(?:# *+)?((?:\./|/|[\w-]+/)?[^\s:]*\.(?:rb|rake)):(\d+)(?::in [`'](.*)')?")
_FOREIGN = regex(r"/gems/|/ruby/\d|/rubies/|/lib/ruby/|\.rbenv/|\.rvm/|vendor/bundle/")


def frames_in(block: Sequence[LogLine]) -> tuple[Frame, ...]:
    """Return the frames of the repository in these lines, outermost first."""
    frames: list[Frame] = []
    for line in block:
        found = _FRAME.match(line.text)
        if found and not _FOREIGN.search(found[1]):
            number = line_in(found[2])
            frames.append(Frame(relative_path(found[1]), number, found[3] or ""))
    return tuple(dict.fromkeys(reversed(frames)))[:40]
