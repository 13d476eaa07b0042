"""Whether a job may have brought about by itself what it found: a full disk, a folder that is somebody else's.

A full disk reads the same whether the runner was full before or the job filled it. How long the job had worked before
it met the full disk tells: what is full after seconds was full before, and what is full after a long build or a long
test run may hold just what these wrote.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from triage.classify.gpu_table import ran_nothing_before
from triage.classify.holders import HELD_AS_SHOWN, HOLDER, older_holder, shown_holder, younger_holder
from triage.regex import regex

if TYPE_CHECKING:
    from triage.classify.view import LogView
    from triage.model import LogLine
    from triage.rules.match import Match

USED_UP = frozenset({"disk-full"})
"""Rules on something that every job uses a part of."""

OWNED = frozenset({"cache-not-writable"})
"""Rules on folders that belong to somebody else, to whom the job itself may have given them."""

HELD = frozenset({"accelerator-busy"})
"""Rules on a device that a process holds: some name it, and it may be one that the job itself started."""

RESET = frozenset({"card-reset-failed", "board-hung"})
"""Rules on a device that does not come back: what the job ran on it before may have hung it."""

NOT_EMPTY = frozenset({"vram-above-idle", "device-found-in-use"})
"""Rules on a check that found a device's memory in use: what the job ran before may have left it there."""

LONG_WORK = timedelta(minutes=10)
"""From the job's first command on."""

LONG_OUTPUT = 2_000
"""Lines that stand for it in a log without times."""


def may_be_own(found: tuple[Match, ...], match: Match, view: LogView) -> str | None:
    """Return in words why the job may have brought about what `match` tells; None where nothing speaks for it.

    Args:
        found: Where rules show.
        match: The rule that is believed.
        view: The log.
    """
    if match.rule.id in OWNED and _worked_as_another(match, view):
        return "after the job had worked as another user: it may have written there itself"
    if match.rule.id in HELD and (pid := _own_holder(match, view)):
        return f"held by process {pid}, which is of this job"
    if match.rule.id in HELD_AS_SHOWN and shown_holder(view, match) is None:
        return "and nothing shows that somebody held them before the job did"
    if match.rule.id in RESET and not ran_nothing_before(view, match.line.number):
        return "after the job had used it: that may be why"
    if match.rule.id in NOT_EMPTY and not ran_nothing_before(view, match.line.number):
        return "after the job had run programs of its own: they may have left it there"
    if match.rule.id in USED_UP and _worked_for_long(found, match, view):
        return "after the job had worked for long: it may have filled it itself"
    return None


def _own_holder(match: Match, view: LogView) -> str | None:
    """Return the process that holds the device, where another line of the log names it: the job started it."""
    holder = HOLDER.search(match.line.text)
    if holder is None or older_holder(view, match) is not None:
        return None
    if younger_holder(view, match) is not None:
        return holder[1]
    named = re.compile(rf"(?i:\bpid|\bprocess)\W{{1,4}}{holder[1]}\b")
    lines = (line.text for line in view.log.lines if holder[1] in line.text)
    return holder[1] if any(named.search(text) and not HOLDER.search(text) for text in lines) else None


def _worked_for_long(found: tuple[Match, ...], match: Match, view: LogView) -> bool:
    """Whether the job had worked for long before the rule first showed."""
    first = next((other.line for other in found if other.rule.id == match.rule.id), match.line)
    begin = _first_command(view)
    if first.at is None or begin is None or begin.at is None:
        return first.number > LONG_OUTPUT
    return first.at - begin.at >= LONG_WORK


def _worked_as_another(match: Match, view: LogView) -> bool:
    """Whether the job ran anything as another user, in a container or on a mount of its own, before `match`."""
    above = view.between(1, match.line.number)
    return any(
        _AS_ANOTHER.search(line.text)
        for line in above
        if view.is_input(line.number) or line.text.startswith(("$ ", "+ ", "##[command]", "Using Docker"))
    )


_AS_ANOTHER = regex(
    r"\bsudo (?:-\S+ )*(?!-|(?:apt(?:-get)?|dpkg|sysctl|swapoff)\b)"
    r"|\b(?:docker|podman|nerdctl|chown|chmod (?!\+x)|mount|su|runuser)\b|^Using Docker"
)


def full_before(view: LogView, match: Match) -> tuple[LogLine, ...]:
    """Return the row by which `df` showed a full disk before the job ran anything of its own; empty when it did not."""
    if match.rule.id not in USED_UP:
        return ()
    for line in view.between(1, match.line.number - 1):
        if _FULL.match(line.text):
            return (line,)
        if line.text.startswith("##[group]Run ") and not _LOOKS_ON.match(line.text):
            return ()
    return ()


_FULL = regex(
    r"^(?:/dev/(?!loop)|overlay|tmpfs|none|\w[\w.-]*:/)\S*(?: +[\d.]+[KMGTP]?i?){3} +100% "
    r"+/(?!snap|boot|cdrom|dev|run|sys)\S*$"
)
_LOOKS_ON = regex(
    r"^##\[group\]Run (?:[\w.-]+/[\w./-]+@|\./\.github/actions/"
    r"|(?:sudo )?(?:df|du|lsblk|free|docker (?:system|image)|rm)\b)"
)
"""Actions, and commands that look at the disk or free some of it."""


def _first_command(view: LogView) -> LogLine | None:
    lines = view.log.lines
    return next((line for line in lines if line.text.startswith("##[group]Run ")), lines[0] if lines else None)
