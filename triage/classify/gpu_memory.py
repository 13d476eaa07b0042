"""Whose GPU memory it was: arithmetic on the allocator's own figures, not words.

An out-of-memory error reads the same whether the program asks for too much or another process sits on the device.
Its numbers tell: what this process holds, what others hold, what was asked for, and what the device has. Measured on
real devices: memory of a killed process is free again after 0.3 s, so what is still there belongs to somebody.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from triage.classify.denials import is_taken_back
from triage.classify.gpu_table import (
    LARGE_SHARE,
    Holding,
    held_before,
    holdings_before,
    ran_nothing_before,
    started_something_before,
)
from triage.model import Fault
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from triage.classify.view import LogView
    from triage.model import LogLine

_UNITS = {
    "bytes": 2.0**-30,
    "KiB": 2.0**-20,
    "MiB": 2.0**-10,
    "GiB": 1.0,
    "TiB": 2.0**10,
    "KB": 2.0**-20,
    "MB": 2.0**-10,
    "GB": 1.0,
}
_SIZE = r"(\d+(?:\.\d+)?) ?([KMGT]i?B)"

_WANTED = regex(rf"[Tt]ried to allocate {_SIZE}")
_CAPACITY = regex(rf"total capacity of {_SIZE}")
_CAPACITY_OLD = regex(rf"\((?:GPU|NPU|XPU|MLU|HPU|DCU) \d+; {_SIZE} total capacity; {_SIZE} already allocated")
_OWN = regex(rf"this process has {_SIZE} memory in use")
_OWN_BY_ALLOCATOR = regex(rf"Of the allocated memory {_SIZE} is allocated by PyTorch")
_RESERVED_OLD = regex(rf"; {_SIZE} reserved in total by PyTorch")
_FREE = regex(rf"(?:of which |; ){_SIZE} (?:is )?free\b")
_OTHER = regex(rf"Process (\d+) has {_SIZE} memory in use")
_STARTUP = regex(
    r"Free memory on device (?:\S+ )?\((\d+(?:\.\d+)?)/(\d+(?:\.\d+)?) GiB\) on startup is less than desired GPU memory"
    r"(?: utilization \([\d.]+, (\d+(?:\.\d+)?) GiB\))?"
)

_BUSY_BEFORE = regex(
    r"(?i)(?:waiting for (?:the )?(?:(?:gpu|device|npu|xpu) )?(?:memory|vram|hbm) to "
    r"(?:drop|drain|fall|be (?:freed|free|released))"
    r"|gpu(?:s|\(s\))? (?:\d+ )?(?:is|are)? ?still (?:not idle|dirty|in use|busy|above)"
    r"|still above threshold after|did not meet the memory condition after"
    r"|(?:gpu memory|vram|hbm) (?:is )?(?:still )?not (?:clear(?:ed)?|freed|released|free|empty)\b)"
)
"""A check before the tests that found the device in use."""

_OWN_CHILD = r"(?:pid[=: ]\s*|process \[?|PID )"

FOREIGN_SHARE = 0.1
"""Share of the device that others must hold before they can be blamed at all."""


class MemoryReading(NamedTuple):
    """What the figures of one error say.

    Attributes:
        why: A sentence for the reader.
        line: States the error.
        shown_by: A line above it that shows whose memory it was.
    """

    fault: Fault
    title: str
    why: str
    line: LogLine
    shown_by: LogLine | None = None


def read_memory_error(lines: Iterable[LogLine], view: LogView) -> MemoryReading | None:
    """Judge the first GPU memory error among `lines`; None when there is none that gives its figures."""
    for line in lines:
        if not _SPEAKS.search(line.text):
            continue
        reading = next((reading for judge in _JUDGES if (reading := judge(line, view))), None)
        if reading:
            return reading
    return None


_SPEAKS = regex(r"[Mm]emory|MEMORY| uses |occupied by")


def _gib(match: re.Match[str] | None, group: int = 1) -> float | None:
    return float(match[group]) * _UNITS[match[group + 1]] if match else None


def _allocator(line: LogLine, view: LogView) -> MemoryReading | None:
    wanted = _gib(_WANTED.search(line.text))
    old = _CAPACITY_OLD.search(line.text)
    capacity = _gib(_CAPACITY.search(line.text)) or _gib(old)
    if wanted is None or capacity is None:
        return None
    own = (
        _gib(_OWN.search(line.text))
        or _gib(_OWN_BY_ALLOCATOR.search(line.text))
        or _gib(_RESERVED_OLD.search(line.text))
        or _gib(old, 3)
        or 0.0
    )
    others = {pid: float(size) * _UNITS[unit] for pid, size, unit in _OTHER.findall(line.text)}
    foreign = sum(size for pid, size in others.items() if not _is_of_this_job(pid, view))
    would_fit = own + wanted <= capacity
    if would_fit and foreign > own and foreign >= FOREIGN_SHARE * capacity and not _has_parallel_workers(view):
        holders = ", ".join(f"process {pid}" for pid in others)
        shown = (row.line for row in holdings_before(view, line.number))
        return MemoryReading(
            fault=Fault.GPU_RESIDUE,
            title=f"{foreign:.1f} of {capacity:.1f} GiB of GPU memory were held by another process",
            why=f"{holders} held {foreign:.2f} GiB; this process only {own:.2f} GiB, and asked for {wanted:.2f} more",
            line=line,
            shown_by=next((row for row in shown if not others.keys().isdisjoint(_NUMBER.findall(row.text))), None),
        )
    free = _gib(_FREE.search(line.text)) or 0.0
    missing = capacity - free - own
    unexplained = would_fit and not others and missing >= FOREIGN_SHARE * capacity
    if unexplained and (holding := _still_held(missing / capacity + FOREIGN_SHARE, line, view)) is not None:
        return _held(holding, line)
    if unexplained and (busy := _busy_before(line, view)) is not None:
        return _found_busy(busy, f"{capacity - own:.1f} GiB were not this process's", line)
    return MemoryReading(
        fault=Fault.CODE,
        title="The process ran out of GPU memory by itself",
        why=f"this process held {own:.2f} of {capacity:.2f} GiB and asked for {wanted:.2f} GiB more",
        line=line,
    )


_NUMBER = regex(r"\d+")


def _still_held(most: float, line: LogLine, view: LogView) -> Holding | None:
    """Return what a tool showed as held before; a share over `most` is another device's, or is free again."""
    before = (holding for holding in holdings_before(view, line.number) if holding.share >= LARGE_SHARE)
    return next((holding for holding in before if holding.share == 1 or holding.share <= most), None)


def _startup_check(line: LogLine, view: LogView) -> MemoryReading | None:
    figures = _STARTUP.search(line.text)
    if figures is None:
        return None
    held = float(figures[2]) - float(figures[1])
    if (busy := _busy_before(line, view)) is not None:
        return _found_busy(busy, f"{held:.1f} GiB were in use", line)
    if (holding := held_before(view, line.number) or _was_there(figures, line, view)) is not None:
        return _held(holding, line)
    if held >= FOREIGN_SHARE * float(figures[2]) and ran_nothing_before(view, line.number):
        return MemoryReading(
            fault=Fault.GPU_RESIDUE,
            title=f"The GPU was not free before the test began: {held:.1f} GiB were in use",
            why=f"{held:.2f} GiB were in use when the job's first program on the device started",
            line=line,
        )
    return MemoryReading(
        fault=Fault.CODE,
        title="Too little free GPU memory when an engine starts",
        why=f"{held:.2f} GiB were in use; nothing shows that they belonged to something outside this job",
        line=line,
    )


def _was_there(figures: re.Match[str], line: LogLine, view: LogView) -> Holding | None:
    """Return what a tool showed as held before, when it is just what is missing now: without it there were enough."""
    if not figures[3]:
        return None
    free, capacity, wanted = (float(figures[group]) for group in (1, 2, 3))
    held = capacity - free
    for holding in holdings_before(view, line.number, scripts=True):
        gib = holding.gib or 0.0
        is_all = abs(gib - held) <= SAME_GIB and gib >= FOREIGN_SHARE * capacity
        if is_all and free + gib >= wanted:
            return holding
    return None


SAME_GIB = 0.75
"""Between two looks at what is held: a program's own context on the device takes half a GiB."""


def _busy_before(line: LogLine, view: LogView) -> LogLine | None:
    """Return what found the device in use before any test ran.

    An earlier engine of the same test process looks the same; a device that was busy before any test does not.
    """
    busy = next((other for other in view.log.lines if _BUSY_BEFORE.search(other.text)), None)
    return busy if busy is not None and busy.number < line.number and not _had_run_tests(busy, view) else None


def _found_busy(busy: LogLine, how_much: str, line: LogLine) -> MemoryReading:
    return MemoryReading(
        fault=Fault.GPU_RESIDUE,
        title=f"The GPU was not free before the test began: {how_much}",
        why=f"line {busy.number} found the device in use before the test's program used it",
        line=line,
        shown_by=busy,
    )


def _pool(line: LogLine, view: LogView) -> MemoryReading | None:
    """Julia's account of its own pool, in the two lines under the error, against what the device has."""
    told = "\n".join(below.text for below in view.between(line.number + 1, line.number + 2))
    wanted, usage, pool = _WANTED_OF_POOL.search(line.text), _USAGE.search(told), _POOL.search(told)
    if wanted is None or usage is None or pool is None:
        return None
    used, capacity = float(usage[1]) * _UNITS[usage[2]], float(usage[3]) * _UNITS[usage[4]]
    own = float(pool[1]) * _UNITS[pool[2]]
    shown = [row for row in view.between(1, line.number - 1) if _AVAILABLE.search(row.text)]
    free = _gib(_AVAILABLE.search(shown[0].text)) if len(shown) == 1 else None
    would_fit = own + (_gib(wanted) or 0.0) <= capacity
    if free is None or not would_fit or used - own < FOREIGN_SHARE * capacity or _has_parallel_workers(view):
        return None
    if abs(capacity - free - (used - own)) > SAME_GIB or started_something_before(view, shown[0].number):
        return None
    return MemoryReading(
        fault=Fault.GPU_RESIDUE,
        title=f"The GPU was not free before the test began: {used - own:.1f} of {capacity:.1f} GiB were held",
        why=f"line {shown[0].number} shows them held before; the pool of this process had reserved {own:.2f} GiB",
        line=line,
        shown_by=shown[0],
    )


_WANTED_OF_POOL = regex(rf"^\s*Out of GPU memory trying to allocate {_SIZE}")
_USAGE = regex(rf"Effective GPU memory usage: [\d.]+% \({_SIZE}/{_SIZE}\)")
_POOL = regex(r"Memory pool usage: [\d.]+ \w+ \((\d+(?:\.\d+)?) (bytes|[KMGT]iB) reserved\)")
_AVAILABLE = regex(rf"^\s*\d+: .*\(sm_\d+, {_SIZE} / {_SIZE} available\)")

_OUT_OF_MEMORY = regex(
    r"(?i:\bout of (?:device |gpu |video )?memory\b)|OUT_OF_(?:DEVICE_)?MEMORY\b"
    r"|\b(?:hip|musa)ErrorOutOfMemory\b|\b(?:cuda|mc)ErrorMemoryAllocation\b"
    r"|(?i:memory capacity is unbalanced|occupied by other processes|insufficient (?:gpu|device|video) memory)"
)
_OF_THE_HOST = regex(
    r"(?i)\bheap\b|\bhost\b|^(?:runtime|fatal error|LINK|Killed)\b|\bvmem\b|\boom-?kill|^Out of memory: "
)


def _bare(line: LogLine, view: LogView) -> MemoryReading | None:
    """An error without figures: only what was held before the job began can tell whose memory it was."""
    if not _OUT_OF_MEMORY.search(line.text) or _OF_THE_HOST.search(line.text) or is_taken_back(line.text):
        return None
    holding = held_before(view, line.number)
    return _held(holding, line) if holding is not None else None


def _held(holding: Holding, line: LogLine) -> MemoryReading:
    return MemoryReading(
        fault=Fault.GPU_RESIDUE,
        title=f"The GPU was not free before the job used it: {holding.what} were held",
        why=f"line {holding.line.number} shows {holding.what} held before the job ran anything of its own",
        line=line,
        shown_by=holding.line,
    )


_IDLE_GATE = regex(r"GPU (\d+) uses (\d+(?:\.\d+)?) GiB \((.*)\)")
_SELF_HOLDS = regex(r"self pid=\d+ holds (\d+(?:\.\d+)?) GiB")
_HOLDER = regex(r"(?<!self )pid=(\d+)")


def _idle_gate(line: LogLine, view: LogView) -> MemoryReading | None:
    """A gate that lists who holds a device which should be free."""
    gate = _IDLE_GATE.search(line.text)
    if gate is None:
        return None
    used, holders = float(gate[2]), gate[3]
    own = _SELF_HOLDS.search(holders)
    others = _HOLDER.findall(holders)
    if (own and float(own[1]) * 2 > used) or (others and all(_is_of_this_job(pid, view) for pid in others)):
        return MemoryReading(
            fault=Fault.CODE,
            title=f"The job's own processes still held GPU {gate[1]}",
            why=f"GPU {gate[1]} used {used:.2f} GiB, held by processes of this very job",
            line=line,
        )
    whose = (
        f"held by process {', '.join(others)}, which this job did not start" if others else "held by no live process"
    )
    return MemoryReading(
        fault=Fault.GPU_RESIDUE,
        title=f"GPU {gate[1]} still held {used:.2f} GiB" + ("" if others else " that no process owns"),
        why=f"{used:.2f} GiB of GPU {gate[1]} were {whose}",
        line=line,
    )


_JUDGES = (_allocator, _startup_check, _idle_gate, _pool, _bare)
"""Those who read figures, and last the one for errors without any."""


def _is_of_this_job(pid: str, view: LogView) -> bool:
    """Whether the job itself names the process elsewhere: a server it started, a rank, a worker."""
    named = re.compile(rf"{_OWN_CHILD}{pid}\b")
    accounts = (_OTHER, _IDLE_GATE)  # lines that only count memory say nothing of who started a process
    named_by = (line.text for line in view.log.lines if pid in line.text and named.search(line.text))
    return any(not any(account.search(text) for account in accounts) for text in named_by)


def _has_parallel_workers(view: LogView) -> bool:
    """Whether tests ran side by side on one machine: then the other process may be another test."""
    return any(_XDIST.search(line.text) for line in view.log.lines)


_XDIST = regex(
    r"^(?:\[gw\d+\]|gw\d+ \[\d+\]|\d+ workers \[)|created: \d+/\d+ workers"
    r"|^\s*From worker \d+:|\bRunning \d+ tests in parallel|\bnworkers ?=|\baddprocs\("
)


def _had_run_tests(busy: LogLine, view: LogView) -> bool:
    """Whether a test had ended before the device was found busy: then that test may have left the memory."""
    before = (line for line in view.log.lines if line.number < busy.number)
    return any(_PASSED.search(line.text) for line in before)


_PASSED = regex(r"\bPASSED\b|\.\.\. ok$|\[ +OK \]|\b[1-9]\d* (?:passed|failed)\b|^FAILED |^\S+\.py [.sxXFE]+(?:\s|$)")
