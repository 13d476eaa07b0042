"""What the vendors' tools showed of a device before the job used it: memory held, and by whom.

`nvidia-smi`, `rocm-smi`, `npu-smi` and `xpu-smi` print what a device holds. What they show before the job's first own
program belongs to somebody else.
"""

from __future__ import annotations

from itertools import dropwhile, islice
from typing import TYPE_CHECKING, NamedTuple

from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from triage.classify.view import LogView
    from triage.model import LogLine

LARGE_SHARE = 0.5
"""Share of a device from which what is held there can be why there was too little."""

LARGE_GIB = 4.0
"""The same, where a tool shows the processes and not what the device has."""

_USED_OF_ALL = regex(
    r"\b(\d{1,7}) ?(?:MiB)? ?/ *(\d{4,7}) ?(?:MiB)? *\||, (\d+) MiB, (\d+) MiB\b|\b(\d{1,7})MiB\((\d{4,7})MiB\)"
    r"|\bused:? (\d{1,7}) MiB (?:of|/) (\d{4,7}) MiB\b|\b(\d{1,7}) MiB (?:of|/) (\d{4,7}) MiB (?:is )?(?:used|in use)\b"
)
_PERCENT = regex(
    r"^GPU\[\d+\]\s*: GPU Memory Allocated \(VRAM%\): (\d+)|GPU Memory Utilization \(%\)\D+(\d+)|\s(\d+)%\s+\d+%\s*$"
)
_PROCESS = regex(
    r"^(?:\S+, )*?\d+, .*?(?P<csv>\d+) MiB|^(?:[^,]+, )+(?P<last>\d+) MiB"
    r"|^\|\s*\d+\s+\d+\s*\|\s*\d+\s*\|\s*\S[^|]*\|\s*(?P<npu>\d+)\s*\|"
    r"|\bGPU Memory Used \(MiB\)\D+(?P<xpu>\d+)|^\d+\s+\S+\s+\d+\s+(?P<bytes>\d{9,})\b"
    r"|^\s*Process id ?: ?\d+\s.*\bProcess memory ?\(MB\) ?: ?(?P<proc>\d+)"
    r"|^\d+ +\S.* \d+ +\d+ +(?P<kib>\d{6,8})\s*$|^\d\d:\d\d:\d\d\.\d+, +\d+, +(?P<dump>\d+)\.\d+\s*$"
    r"|^\| +\d+ .* C(?:\+G)? .* (?P<app>\d+)MiB \|\s*$"
)
_UNITS = {"bytes": 2.0**-20, "kib": 2.0**-10}
"""Of the columns that do not count in MiB."""

_TOTAL = regex(r"\bVRAM Total Memory \(B\): (\d{9,})|\bTOTAL_VRAM: (\d+) MB")
_USED = regex(r"\bVRAM Total Used Memory \(B\): (\d{9,})|\bUSED_VRAM: (\d+) MB")
"""What a device has and what of it is held, on two lines below each other."""

_TABLE_OPENS = regex(
    r"NVIDIA-SMI \d|System Management Interface|npu-smi |\| NPU +(?:Chip|Name) |\| Device ID"
    r"|^pid, |^process_name, |^index, .*memory\.used|^KFD process information|^PID\s+PROCESS NAME\b"
    r"|^PID +Command +DeviceID\b|^Timestamp, DeviceId, GPU Memory Used \(MiB\)|HL-SMI Version|^\| CNMON v?\d"
    r"|^mx-smi +version|^mthreads-gmi:\d"
    r"|^\| +GPU +GI +CI +PID +Type\b"
)

_IS_ROW = regex(
    r"^GPU\[\d+\]\s*: (?:GPU Memory Allocated \(VRAM%\): |VRAM Total )|^\s*Process id ?: ?\d+\s"
    r"|^\s*(?:TOTAL|USED)_VRAM: |^(?:GPU|NPU|XPU|DCU|[Dd]evice) ?\d+: (?=(?:used:? )?\d+ MiB (?:of|/) \d+ MiB\b)"
)
"""A row that needs no head to say what it shows."""

_STARTS_SOMETHING = regex(
    r"\b(?:pytest|torchrun|mpirun|srun|ctest|tox|nox|nohup|serve|\w*server|daemon|(?:uv|poetry|pdm|hatch|pixi) run)\b"
    r"|\bdocker(?:-compose)? (?:run|start|exec|compose|up)\b"
    r"|(?:cargo|go|npm|make|bazel) (?:run |-\w+ )*(?:test|check|bench)|&\s*$|(?<!-)\bpython3? (?!-m (?:pip|venv|uv)\b)"
)
"""Commands after which what a device holds may be the job's own."""

_NAMES = regex(r"^ {2}(?:repository|ref|path|name|key|restore-keys|registry|images?|tags?): ")
"""What an action is given to fetch or to keep: `repository: acme/serve` starts no server."""


class Holding(NamedTuple):
    """Device memory that was held before the job used the device; `what` says how much in words.

    Attributes:
        gib: The same as a number, where the tool gave one.
        share: Of the device; 1 where the tool shows the processes and not what the device has.
    """

    line: LogLine
    what: str
    gib: float | None = None
    share: float = 1.0


def held_before(view: LogView, number: int) -> Holding | None:
    """Return what a tool showed as held before a line and before the job ran anything; None when nothing much was."""
    return next((holding for holding in holdings_before(view, number) if holding.share >= LARGE_SHARE), None)


def holdings_before(view: LogView, number: int, *, scripts: bool = False) -> tuple[Holding, ...]:
    """Return all that a tool last showed as held before a line and before the job ran anything, little or much.

    Args:
        view: The log.
        number: The line.
        scripts: Whether to believe scripts that are named after such a look, too.
    """
    found: dict[str, list[Holding]] = {}
    table, total = "", 0.0
    for line in before_any_work(view, number, scripts=scripts):
        if opens := _TABLE_OPENS.search(line.text):
            table = opens[0]
            found[table] = []
        if has := _TOTAL.search(line.text):
            total = _gib_of(has)
        row = _IS_ROW.match(line.text)
        if table:
            found[table] += _held(line, total)
        elif row:
            found[row[0]] = list(_held(line, total))
    return tuple(holding for holdings in found.values() for holding in holdings)


def before_any_work(view: LogView, number: int, *, scripts: bool = False) -> Iterator[LogLine]:
    """Yield what was written above line `number` before any test and before the job started a program of its own."""
    for line in view.between(1, min(number, _first_test(view)) - 1):
        if not _is_command(line, view):
            yield line
        elif _starts_something(line.text) and not (scripts and _SHOWS_DEVICE.match(line.text)):
            yield from _looked_at_first(view, line.number, number)
            return


def _looked_at_first(view: LogView, command: int, number: int) -> Iterator[LogLine]:
    """Yield what a tool showed whose call is the first command of the step that starts something further down."""
    begin = view.begin_of(command)
    first = view.line(begin)
    if first is None or begin == command or not _LOOKS.match(first.text):
        return
    below = view.between(command + 1, min(number, _first_test(view)) - 1)
    for line in islice(dropwhile(lambda other: view.is_input(other.number), below), _ROWS):
        if not _ROW.match(line.text):
            return
        yield line


_LOOKS = regex(r"^##\[group\]Run (?:sudo )?(?:nvidia|rocm|amd|xpu|npu|hl|mx)-smi\b[^|;&>]*$")
_ROW = regex(r"^(?:[|+=]|\s*$|\w{3} \w{3} +\d+ [\d:]{8} |GPU\[\d+\]|PID\b|\w[\w.]*, |\d+\b)")
_ROWS = 60
"""How a tool's table goes on below its call: it ends where a line looks different."""


def _starts_something(text: str) -> bool:
    return _STARTS_SOMETHING.search(text) is not None and not _NAMES.match(text)


_DEVICE = r"(?:gpu|npu|xpu|hpu|dcu|device|vram|hbm)s?"
_SHOWS_DEVICE = regex(
    r"^(?:##\[group\]Run |\$ )?(?:python3? |bash |sh )?(?:[\w.-]*/)*"
    rf"(?:(?:show|list|print|check)[_-](?:{_DEVICE}|idle)|{_DEVICE}[_-](?:mem|memory|state|status|usage|info|holders|procs))"
    r"(?:[_-](?:mem|memory|state|status|usage|info|holders|procs))?(?:\.py|\.sh)?(?: [^|;&>]*)?$"
)
"""Scripts that are named after a look at the devices. They may use one themselves, so they prove less than a tool."""


def started_something_before(view: LogView, number: int) -> bool:
    """Whether the job had started a program above line `number` that may hold a device when others run."""
    above = view.between(1, number - 1)
    return any(_is_command(line, view) and _starts_something(line.text) for line in above)


def _is_command(line: LogLine, view: LogView) -> bool:
    """Whether a step's commands are shown there, or a shell's: Buildkite and GitLab write them behind a `$`."""
    return view.is_input(line.number) or line.text.startswith("$ ")


def _first_test(view: LogView) -> int:
    starts = [first for first, _ in view.tests.line_ranges] + [test.first_line for test in view.tests.failures]
    return min(starts, default=view.log.total_lines + 1)


def _held(line: LogLine, total: float) -> Iterator[Holding]:
    """Yield what a row shows as held; `total` is what the device has, in GiB, where a row above said so."""
    text = line.text
    if found := _USED.search(text):
        gib = _gib_of(found)
        if 0 < gib <= total:
            yield Holding(line=line, what=f"{gib:.1f} of {total:.1f} GiB", gib=gib, share=gib / total)
    elif found := _USED_OF_ALL.search(text):
        used, all_of_it = (int(figure) for figure in found.groups() if figure)
        if all_of_it and used <= all_of_it:
            what = f"{used / 1024:.1f} of {all_of_it / 1024:.1f} GiB"
            yield Holding(line=line, what=what, gib=used / 1024, share=used / all_of_it)
    elif found := _PERCENT.search(text):
        percent = int(found[1] or found[2] or found[3])
        yield Holding(line=line, what=f"{percent} % of its memory", share=percent / 100)
    elif found := _PROCESS.search(text):
        column = found.lastgroup or ""
        mib = int(found[column]) * _UNITS.get(column, 1.0)
        if mib >= LARGE_GIB * 1024:
            yield Holding(line=line, what=f"{mib / 1024:.1f} GiB", gib=mib / 1024)


def _gib_of(found: re.Match[str]) -> float:
    return int(found[1]) * 2.0**-30 if found[1] else int(found[2]) * 2.0**-10


def ran_nothing_before(view: LogView, number: int) -> bool:
    """Whether line `number` is the first that the job's first program on the device says of its work."""
    lines = view.between(1, number - 1)
    step = max((line.number for line in lines if line.text.startswith("##[group]Run ")), default=0)
    for line in lines:
        if view.is_input(line.number):
            if line.number < step and _starts_something(line.text):
                return False
        elif _WORKED.search(line.text) or _shows_free(line.text):
            return False
    return step > 0


def _shows_free(text: str) -> bool:
    """Whether a tool's table shows a device with room: what is missing later came after it."""
    found = _USED_OF_ALL.search(text)
    if found:
        used, all_of_it = (int(figure) for figure in found.groups() if figure)
        return used < LARGE_SHARE * all_of_it
    percent = _PERCENT.search(text)
    return percent is not None and int(percent[1] or percent[2] or percent[3]) < LARGE_SHARE * 100


_WORKED = regex(
    r"\bPASSED\b|\bFAILED\b|\bERROR tests?/|\.\.\. ok$|\[ +OK \]|\b\d+ passed\b"
    r"|^(?:\S+\.py )?[.sxXFE]+ +\[ *\d+%\]"
    r"|(?i:model loading took|loading weights took|starting to load model|kv cache|init engine|memory profiling"
    r"|engine (?:core )?(?:is )?(?:started|ready|initiali[sz]ed)|loading (?:safetensors|checkpoint|model))"
)
"""Signs that a test had ended, or that a program had put something on the device."""
