"""Python tracebacks: which lines belong to one, the chain of exceptions it prints, and which of them is the cause.

Python prints the oldest exception of a chain first. A chain here is in that order too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from triage.logs.said import said
from triage.logs.tests import wrappers
from triage.logs.tests.margin import Margin
from triage.logs.tests.reporting import one_line
from triage.logs.tests.source_paths import frame_of
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import Frame, LogLine

HEADER = "Traceback (most recent call last):"

_FRAME = regex(r'\s{0,12}File "([^"]{1,1000})", line (\d+)(?:, in (.{1,300}))?')
# After the frames, whatever class was raised, but no `WARNING: ` of another program; elsewhere only a name that says
# that it is an exception.
_RAISED = regex(r"((?:[A-Za-z_]\w*\.(?:<locals>\.)?)+[A-Za-z_]\w*|(?=[A-Z0-9_]*[a-z])_*[A-Z]\w*)(?:: ?(.*))?$")
_BARE = regex(
    r"((?:[A-Za-z_]\w*\.(?:<locals>\.)?)*"
    r"(?:Exception|_?[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Failure|Group)))(?:: ?(.*))?$"
)
_GROUP_EDGE = regex(r"[\s|]*(?:\||\+-)")

# How far a message, or the sentence that links two tracebacks, may be from the exception.
_MESSAGE_LINES = 5
_LINK_LINES = 12
# Lines of other processes between two lines of one traceback.
_FOREIGN_LINES = 8
_MAX_FRAMES = 60


class Link(Enum):
    """How an exception led to the next one in its chain."""

    NONE = auto()
    CAUSE = auto()
    CONTEXT = auto()


LINKS = {
    "The above exception was the direct cause of the following exception:": Link.CAUSE,
    "During handling of the above exception, another exception occurred:": Link.CONTEXT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """One exception as printed. Line numbers are of the raw log; `line` states the exception itself.

    `link` says how it led to the next of its chain. `parts` are the chains of an exception group's members, or the
    traceback of another process that stands in the message.
    """

    type: str
    message: str = ""
    frames: tuple[Frame, ...] = ()
    first_line: int = 0
    line: int = 0
    link: Link = Link.NONE
    parts: tuple[tuple[Raised, ...], ...] = ()

    @property
    def last_line(self) -> int:
        """The last line that is known to belong to it."""
        return max([self.line, *(raised.last_line for chain in self.parts for raised in chain)])


Chain = tuple[Raised, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """The cause in a chain: `raised`, and the exception that reached the caller when that one only wraps it."""

    raised: Raised
    frames: tuple[Frame, ...]
    wrapper: Raised | None = None


def root_of(chain: Chain) -> Root:
    """Find the cause: from what reached the caller back as long as an exception only passes on the one before it.

    Args:
        chain: At least one exception.
    """
    reached = at = chain[-1]
    passed = [reached.frames]
    index = len(chain) - 1
    while not at.parts and index > 0 and _passes_on(at, chain[index - 1]):
        index -= 1
        at = chain[index]
        passed.append(at.frames)
    if at.parts:
        inner = root_of(_likeliest(at.parts))
        at = inner.raised
        passed.append(inner.frames)
    return Root(raised=at, frames=_joined(passed), wrapper=None if at is reached else reached)


def _joined(tracebacks: Sequence[tuple[Frame, ...]]) -> tuple[Frame, ...]:
    """Join the frames from what reached the caller down to the cause; the cause's own stay together at the end."""
    last = tracebacks[-1][-_MAX_FRAMES:]
    before = dict.fromkeys(frame for frames in tracebacks[:-1] for frame in frames if frame not in last)
    return (*tuple(before)[: _MAX_FRAMES - len(last)], *last)


def _likeliest(chains: tuple[Chain, ...]) -> Chain:
    """Return the member of a group that says most: the first that is neither a wrapper nor a mere cancellation."""
    for chain in chains:
        last = chain[-1]
        if not wrappers.is_wrapper(last.type, last.message) and wrappers.short_name(last.type) != "CancelledError":
            return chain
    return chains[0]


def _passes_on(later: Raised, earlier: Raised) -> bool:
    """Whether `later` only passes `earlier` on.

    `raise X from e` says so, unless X repeats what e said (then it says more: the host, the file) or is a test's own
    assertion. "During handling" says nothing of the kind: often e is an expected one, such as a failed look-up in a
    cache; there X must be a wrapper by its words.
    """
    if earlier.message and earlier.message in later.message:
        return False
    if earlier.link is Link.CAUSE:
        return not wrappers.is_assertion(later.type)
    return wrappers.is_wrapper(later.type, later.message)


def read_chains(lines: Sequence[LogLine]) -> tuple[Chain, ...]:
    """Find every traceback in these lines, whatever stands before each of its lines (a rank, a `|`, an indent).

    Returns:
        One chain for each traceback or linked row of tracebacks, in log order.
    """
    return _read(lines, open_groups=True)


def _read(lines: Sequence[LogLine], *, open_groups: bool) -> tuple[Chain, ...]:
    """Do the work of `read_chains`; groups inside a group stay closed, so that their members stand beside them."""
    chains: list[list[Raised]] = []
    link, linked_at = Link.NONE, 0
    index = 0
    while index < len(lines):
        text = lines[index].text
        if HEADER not in text:
            found = link_in(text)
            if found is not Link.NONE:
                link, linked_at = found, index
            index += 1
            continue
        raised, index_after = _read_one(lines, index, open_groups=open_groups)
        if raised is not None:
            _append(chains, raised, link if index - linked_at <= _LINK_LINES else Link.NONE)
            link = Link.NONE
        index = index_after
    return tuple(tuple(chain) for chain in chains)


def _append(chains: list[list[Raised]], raised: Raised, link: Link) -> None:
    """Add an exception to the chain it belongs to."""
    if link is not Link.NONE and chains:
        chains[-1][-1] = replace(chains[-1][-1], link=link)
        chains[-1].append(raised)
    elif chains and _announces(chains[-1][-1], raised):
        chains[-1][-1] = replace(chains[-1][-1], parts=((raised,),))
    else:
        chains.append([raised])


def _announces(outer: Raised, inner: Raised) -> bool:
    """Whether `outer` says that the traceback of another process follows as its message."""
    near = 0 <= inner.first_line - outer.line <= _MESSAGE_LINES
    return near and not outer.parts and wrappers.short_name(outer.type) in {"ProcessRaisedException", "RayTaskError"}


def frame_in(text: str) -> Frame | None:
    """Return the frame that a line of a stack names."""
    found = _FRAME.match(text)
    return frame_of(found[1], found[2], found[3] or "") if found else None


def link_in(text: str) -> Link:
    """Return which sentence that links two exceptions stands in the line."""
    if "the above exception" in text or "The above exception" in text:
        return next((link for sentence, link in LINKS.items() if sentence in text), Link.NONE)
    return Link.NONE


def _read_one(lines: Sequence[LogLine], start: int, *, open_groups: bool) -> tuple[Raised | None, int]:
    """Read the traceback whose header is at `start`; None when its exception is missing. Also where to go on."""
    header = lines[start].text
    margin = Margin.of(header, header.index(HEADER), lines[start + 1].text if start + 1 < len(lines) else "")
    frames: list[Frame] = []
    foreign = 0
    index = start + 1
    while index < len(lines):
        text = margin.cut(lines[index].text)
        if text is None or not text.strip():
            foreign += 1
        elif frame := frame_in(text):
            frames.append(frame)
            foreign = 0
        elif not text.startswith("  "):
            if HEADER in text or link_in(text) is not Link.NONE or text.startswith("##["):
                break
            found = _RAISED.match(text)
            if found is not None:
                raised = _raised_at(lines, start, index, margin, found)
                opened = open_groups and margin.of_group
                after = _end_of_group(lines, index + 1) if opened else index + 1
                members = _members(lines[index + 1 : after]) if opened else ()
                return replace(raised, frames=tuple(frames[-_MAX_FRAMES:]), parts=members), after
            foreign += 1
        if foreign > margin.patience * _FOREIGN_LINES:
            break
        index += 1
    return None, max(index, start + 1)


def _raised_at(lines: Sequence[LogLine], start: int, index: int, margin: Margin, found: re.Match[str]) -> Raised:
    """Build the exception that is stated at `index`, of the traceback whose header is at `start`."""
    following = [margin.cut(line.text) or "" for line in lines[index + 1 : index + 1 + _MESSAGE_LINES]]
    return Raised(
        type=found[1],
        message=message_of(found[2] or "", following),
        first_line=lines[start].number,
        line=lines[index].number,
    )


def message_of(first: str, following: Sequence[str]) -> str:
    """Return the message on one line: its first line, and more only where that one announces more."""
    if first.strip() and not first.rstrip().endswith(":"):
        return one_line(first)
    further: list[str] = []
    for text in following[:_MESSAGE_LINES]:
        if link_in(text) is not Link.NONE or HEADER in text or text.startswith(("##[", "=====", "-----", "_____")):
            break
        if not text.strip() and further:
            break
        further.append(text)
    return one_line(" ".join([first, *further]))


def _end_of_group(lines: Sequence[LogLine], index: int) -> int:
    """Return the index after the last line that has the rail of an exception group."""
    while index < len(lines) and _GROUP_EDGE.match(lines[index].text):
        index += 1
    return index


def _members(lines: Sequence[LogLine]) -> tuple[Chain, ...]:
    """Read the members of a group, with or without tracebacks of their own."""
    chains = _read(lines, open_groups=False)
    if chains:
        return chains
    bare = (bare_exception(line) for line in lines)
    return tuple((raised,) for raised in bare if raised is not None)


def bare_exception(line: LogLine) -> Raised | None:
    """Return the exception that a line states by itself (`ValueError: no`), without a traceback."""
    text = said(line.text).lstrip(" |")
    found = _BARE.match(text)
    if found is None:
        return None
    return Raised(type=found[1], message=one_line(found[2] or ""), first_line=line.number, line=line.number)
