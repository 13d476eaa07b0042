"""Whose memory it was when the kernel killed a process because the whole host had run out of it.

The kernel kills what scores worst, not what used the memory up. What the victim held, times as many as the job runs of
it side by side, against what the host has: that tells whether the job can have been the cause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from triage.classify.view import LogView, Section
    from triage.model import LogLine

SMALL_PROCESS_KB = 1024 * 1024
"""Resident memory up to which a killed process, of which the job does not run many, is not what used the host up."""

SMALL_SHARE = 0.25
"""Share of the host that all processes like the killed one may hold together, and still be small."""

_HOST_IS_OUT = regex(r"\bconstraint=CONSTRAINT_NONE\b.*\bglobal_oom\b")
_VICTIM = regex(r"\bOut of memory: Killed process \d+ \((?P<name>[^)]+)\).*\banon-rss:(?P<kb>\d+)kB")
_COMPILER = regex(
    r"^(?:cc1(?:plus|obj)?|[cg]\+\+|gcc|clang\S*|rustc|nvcc|cicc|ptxas|hipcc|ld\S*|lld|mold|ghc|swift\S*)$"
)
_SIDE_BY_SIDE = regex(
    r"\s(?:-j ?|-P ?|--(?:jobs|parallel|num-?processes|nproc|workers|max-?workers|maxWorkers)[= ])(?P<count>\d{1,4})?"
    r"|\bpytest\b.*\s-n ?(?P<workers>\d{1,4})?"
)
_IN_BACKGROUND = regex(r"&\s*$|\bnohup\b|\bdocker(?:-compose)? (?:run|start|compose|up)\b|\bdaemon\b|\bserve\b")

_FREE = regex(r"^Mem:\s+(?P<size>\d+(?:\.\d+)?)(?P<unit>[KMGT]i?)?\b")
_FREE_ASKED = regex(r"\bfree\b.* -[a-z]*(?P<unit>[kmg])\b")
_PAGES = regex(r"\b(?P<pages>\d+) pages RAM\b")
_KB = {"k": 1, "K": 1, "m": 1024, "M": 1024, "g": 1024**2, "G": 1024**2, "T": 1024**3}


def killed_by_host(view: LogView, section: Section) -> tuple[LogLine, ...]:
    """Return the kernel's words by which the whole host ran out of memory and killed what held little of it.

    Args:
        view: The log.
        section: The part that failed: its command says how many processes ran side by side.
    """
    lines = [line for line in view.log.lines if not view.is_input(line.number)]
    host = next((line for line in lines if _HOST_IS_OUT.search(line.text)), None)
    victims = [(line, found) for line in lines if (found := _VICTIM.search(line.text))]
    if host is None or not victims:
        return ()
    inputs = [line.text for line in view.log.lines if view.is_input(line.number)]
    size, counts = _size_of_host(lines, inputs), _side_by_side(view, section)
    if any(not _is_small(found["name"], int(found["kb"]), size, counts, inputs) for _, found in victims):
        return ()
    return (victims[0][0], host)


def _is_small(name: str, kb: int, size: int | None, counts: Sequence[int | None], inputs: Sequence[str]) -> bool:
    """Whether all of its kind together held little of the host; `size` in kB."""
    if None in counts or (size is not None and kb * _most(counts) > size * SMALL_SHARE):
        return False
    if size is not None and counts:
        return kb <= SMALL_PROCESS_KB or not any(_IN_BACKGROUND.search(text) for text in inputs)
    return not counts and kb <= SMALL_PROCESS_KB and not _COMPILER.match(name)


def _most(counts: Sequence[int | None]) -> int:
    return max((count for count in counts if count is not None), default=1)


def _side_by_side(view: LogView, section: Section) -> tuple[int | None, ...]:
    """How many processes the command of the failing part runs at once, as often as it asks; None: as many as it can."""
    asked = (line.text for line in view.between(section.first, section.last) if view.is_input(line.number))
    found = (match["count"] or match["workers"] for text in asked for match in _SIDE_BY_SIDE.finditer(text))
    return tuple(int(count or 0) or None for count in found)


def _size_of_host(lines: Iterable[LogLine], inputs: Sequence[str]) -> int | None:
    """The host's memory in kB, as the kernel's report or `free` gives it."""
    asked = next((found["unit"] for text in inputs if (found := _FREE_ASKED.search(text))), "k")
    for line in lines:
        if pages := _PAGES.search(line.text):
            return int(pages["pages"]) * 4
        if free := _FREE.match(line.text):
            return int(float(free["size"]) * _KB[(free["unit"] or asked)[0]])
    return None
