"""Who held a device, as a tool showed it: before the job ran anything, or by a process that is older than the job."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from triage.classify.gpu_table import before_any_work
from triage.regex import regex

if TYPE_CHECKING:
    import re

    from triage.classify.view import LogView
    from triage.model import LogLine
    from triage.rules.match import Match

HELD_AS_SHOWN = frozenset({"neuron-cores-taken"})
"""Rules on devices whose tool shows every process that holds them: without it the job may hold them itself."""

HOLDER = regex(r"\bin use by (?:another )?process(?: with)? pid:? (\d+)")
"""Words on a device that name the process that holds it."""

_NEURON_HEAD = regex(r"^\| *NEURON *\|.*\| *PID *\| *COMMAND *\|")
_NEURON_ROW = regex(r"^\|(?:[^|]*\|){3,7} *\d{2,} *\| *[^| ][^|]*\| *\d[\w.]* *\|\s*$")

_NONE_FREE = regex(r"\bNeuronCore\(s\) not available - .*\bAvailable: ?0\b")

_PS_HEAD = regex(r"^\s*PID\s+ELAPSED\b")
_PS_ROW = regex(r"^\s*(\d+)\s+(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)\s+\S")
"""A process and how long it has run: `[[days-]hours:]minutes:seconds`."""

_ROWS = 60
"""Lines that a table of processes has at most."""


def holder_of(view: LogView, match: Match) -> LogLine | None:
    """Return the row by which a tool showed that another holds the device that `match` speaks of; None without any."""
    if match.rule.id in HELD_AS_SHOWN:
        return shown_holder(view, match)
    return older_holder(view, match)


def shown_holder(view: LogView, match: Match) -> LogLine | None:
    """Return the row by which `neuron-ls` showed a process on the cores before the job ran anything of its own."""
    number = match.line.number
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


class _Process(NamedTuple):
    row: LogLine
    is_older: bool


def _shown_by_ps(view: LogView, match: Match) -> _Process | None:
    """Return what `ps` showed of the process that `match` names; None without such a row, or without times."""
    named = HOLDER.search(match.line.text)
    begin = view.log.lines[0].at if view.log.lines else None
    if named is None or begin is None:
        return None
    head = 0
    for line in view.log.lines:
        if _PS_HEAD.match(line.text):
            head = line.number
        elif head and line.number - head <= _ROWS and line.at:
            row = _PS_ROW.match(line.text)
            if row and row[1] == named[1]:
                return _Process(row=line, is_older=_age(row) > line.at - begin + CLOCKS)
    return None


def _age(row: re.Match[str]) -> timedelta:
    days, hours, minutes, seconds = (int(row[group] or 0) for group in (2, 3, 4, 5))
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


CLOCKS = timedelta(minutes=1)
"""From the start of the job on its machine to the first line of its log."""
