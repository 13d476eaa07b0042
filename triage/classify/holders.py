"""Who held a device, as a tool showed it: before the job ran anything, or by a process that is older than the job."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from triage.classify.gpu_table import before_any_work
from triage.regex import regex

if TYPE_CHECKING:
    import re

    from triage.classify.view import LogView
    from triage.model import LogLine
    from triage.rules.match import Match

NO_GAUDI = "gaudi-found-no-free-device"

HELD_AS_SHOWN = frozenset({"neuron-cores-taken", NO_GAUDI})
"""Rules on devices whose tool shows every process that holds them: without it the job may hold them itself."""

HOLDER = regex(r"\bin use by (?:another )?process(?: with)? pid:? (\d+)")
"""Words on a device that name the process that holds it."""

BUSY = "accelerator-busy"
_CUDA_BUSY = regex(
    r"CUDA-capable device\(?s\)? (?:is/are|are) busy|cudaErrorDevicesUnavailable|CUDA_ERROR_DEVICE_UNAVAIL"
)
_ACQUIRED = regex(r"\[Device already acquired\]")

_GAUDI = regex(r"^\| +(\d+) +HL-\d")
_GAUDI_ROW = regex(r"^\|.*\| +(\d+)MiB / +\d+MiB \|")
_GAUDI_CSV = regex(r"^(\d{1,2}), (?:[^,]+, )*?(\d+) MiB\b")
_GAUDI_VISIBLE = regex(r"\bHABANA_VISIBLE_DEVICES(?:=|: ?)[\"']?(\d[\d,]*)")
GAUDI_MIB = 4096
"""How `hl-smi` shows a card, and from when on somebody is on it: the driver itself takes 768 MiB."""

_MODE_HEAD = regex(r"^(?=.*\bcompute_mode\b)(?=.*\bmemory\.used\b)")
_EXCLUSIVE_ROW = regex(
    r"^(?:[^,]+, )*Exclusive_Process, (?:[^,]+, )*?(\d+) MiB|^(?:[^,]+, )*?(\d+) MiB, (?:[^,]+, )*Exclusive_Process"
)
_EXCLUSIVE = regex(r"\| +(\d+)MiB / +\d+MiB \|.*\bE\. Process \|")
"""A device in `nvidia-smi` that gives itself to one process at a time."""

HELD_MIB = 1024
"""Memory from which a process is on a device; the driver itself takes some hundred MiB."""

_NEURON_HEAD = regex(r"^\| *NEURON *\|.*\| *PID *\| *COMMAND *\|")
_NEURON_ROW = regex(r"^\|(?:[^|]*\|){3,7} *\d{2,} *\| *[^| ][^|]*\| *\d[\w.]* *\|\s*$")

_NONE_FREE = regex(r"\bNeuronCore\(s\) not available - .*\bAvailable: ?0\b")

_PS_HEAD = regex(r"^\s*PID\s+ELAPSED\b")
_PS_ROW = regex(r"^\s*(\d+)\s+(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)\s+\S")
"""A process and how long it has run: `[[days-]hours:]minutes:seconds`."""

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_PS_STARTED = regex(
    rf"^\s*(\d+)\s+(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<month>{'|'.join(_MONTHS)}) +(?P<day>\d{{1,2}}) "
    r"(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d):(?P<second>[0-5]\d) (?P<year>20\d\d)\s+\S"
)
"""A process and when it began, as `ps -o pid,lstart` writes it: no other column looks like that."""

ZONES = timedelta(hours=14)
"""`ps` tells the time of the machine's own zone, and does not say which: the most by which it may be off."""

_ROWS = 60
"""Lines that a table of processes has at most."""


def holder_of(view: LogView, match: Match) -> LogLine | None:
    """Return the row by which a tool showed that another holds the device that `match` speaks of; None without any."""
    if match.rule.id in HELD_AS_SHOWN:
        return shown_holder(view, match)
    return stranger(view, match)


def stranger(view: LogView, match: Match) -> LogLine | None:
    """Return the row by which a tool showed that another than this job holds the device; None without any."""
    return older_holder(view, match) or exclusive_holder(view, match) or _acquirer(view, match)


def _acquirer(view: LogView, match: Match) -> LogLine | None:
    is_acquired = match.rule.id == BUSY and _ACQUIRED.search(match.line.text)
    return gaudi_holder(view, match) if is_acquired else None


def exclusive_holder(view: LogView, match: Match) -> LogLine | None:
    """Return the row of a device that only one process may use, and that one used before the job ran anything.

    None as well where one was free: which of them the program asked for is not said.
    """
    if match.rule.id != BUSY or not _CUDA_BUSY.search(match.line.text):
        return None
    head, found = False, None
    for line in before_any_work(view, match.line.number):
        head = head or _MODE_HEAD.match(line.text) is not None
        row = _EXCLUSIVE.search(line.text) or (_EXCLUSIVE_ROW.match(line.text) if head else None)
        if row and max(int(used) for used in row.groups() if used) < HELD_MIB:
            return None
        found = line if row else found
    return found


def gaudi_holder(view: LogView, match: Match) -> LogLine | None:
    """Return the row by which `hl-smi` showed a card as held before the job ran anything of its own.

    Void unless all cards that the job may see were held: which of them a program asked for is not said.
    """
    used: dict[str, tuple[int, LogLine]] = {}
    card = ""
    for line in before_any_work(view, match.line.number):
        if named := _GAUDI.match(line.text):
            card = named[1]
        elif (row := _GAUDI_ROW.match(line.text)) and card:
            used[card] = (int(row[1]), line)
        elif row := _GAUDI_CSV.match(line.text):
            used[row[1]] = (int(row[2]), line)
    visible = [found[1] for line in view.log.lines if (found := _GAUDI_VISIBLE.search(line.text))]
    cards = visible[-1].split(",") if visible else list(used)
    held = [used[card][1] for card in cards if card in used and used[card][0] >= GAUDI_MIB]
    return held[0] if held and len(held) == len(cards) else None


def shown_holder(view: LogView, match: Match) -> LogLine | None:
    """Return the row by which the vendor's tool showed somebody on the device before the job ran anything."""
    number = match.line.number
    if match.rule.id == NO_GAUDI:
        return gaudi_holder(view, match)
    if not any(_NONE_FREE.search(line.text) for line in view.between(number - _ROWS, number + _ROWS)):
        return None
    head, row = False, None
    for line in before_any_work(view, number):
        if _NEURON_HEAD.match(line.text):
            head, row = True, None
        elif head and row is None and _NEURON_ROW.match(line.text):
            row = line
    return row


def older_holder(view: LogView, match: Match) -> LogLine | None:
    """Return the row by which `ps` shows that the process which holds the device is older than this job."""
    held = _shown_by_ps(view, match)
    return held.row if held and held.is_older else None


def younger_holder(view: LogView, match: Match) -> LogLine | None:
    """Return the row by which `ps` shows that the process which holds the device is not older than this job."""
    held = _shown_by_ps(view, match)
    return held.row if held and not held.is_older else None


def older_process(view: LogView, *, pid: str = "", command: str = "") -> LogLine | None:
    """Return the row by which `ps` shows a process of that number, or of that whole command, as older than this job."""
    rows = older_processes(view)
    if pid in rows:
        return rows[pid]
    return next((row for row in rows.values() if command and row.text.endswith(f" {command}")), None)


def older_processes(view: LogView) -> dict[str, LogLine]:
    """Return the rows of processes that `ps` shows as older than this job, by their number."""
    return {pid: held.row for pid, held in _shown_processes(view).items() if held.is_older}


class _Process(NamedTuple):
    row: LogLine
    is_older: bool


def _shown_by_ps(view: LogView, match: Match) -> _Process | None:
    """Return what `ps` showed of the process that `match` names; None without such a row, or without times."""
    named = HOLDER.search(match.line.text)
    return _shown_processes(view).get(named[1]) if named else None


def _shown_processes(view: LogView) -> dict[str, _Process]:
    """What `ps` showed of processes and of when they began, by their number; the first row of each."""
    begin = view.log.lines[0].at if view.log.lines else None
    shown: dict[str, _Process] = {}
    if begin is None:
        return shown
    head = 0
    for line in view.log.lines:
        if _PS_HEAD.match(line.text):
            head = line.number
        elif head and line.number - head <= _ROWS and line.at and (row := _PS_ROW.match(line.text)):
            shown.setdefault(row[1], _Process(row=line, is_older=_age(row) > line.at - begin + CLOCKS))
        elif (row := _PS_STARTED.match(line.text)) and _began(row) < begin - ZONES:
            shown.setdefault(row[1], _Process(row=line, is_older=True))
    return shown


def _began(row: re.Match[str]) -> datetime:
    month = _MONTHS.index(row["month"]) + 1
    day, hour, minute, second, year = (int(row[part]) for part in ("day", "hour", "minute", "second", "year"))
    return datetime(year, month, 1, hour, minute, second, tzinfo=UTC) + timedelta(days=day - 1)


def _age(row: re.Match[str]) -> timedelta:
    days, hours, minutes, seconds = (int(row[group] or 0) for group in (2, 3, 4, 5))
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


CLOCKS = timedelta(minutes=1)
"""From the start of the job on its machine to the first line of its log."""
