"""A raw log of any size to a bounded `Log`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from triage.matching import clean_block, split_stamp
from triage.model import Log, LogLine

if TYPE_CHECKING:
    from triage.matching import Scanner
    from triage.model import Step
    from triage.source.protocol import LogSource


def read_log(source: LogSource, scanner: Scanner, *, steps: tuple[Step, ...] = ()) -> Log:
    """Read a log; placeholder that keeps the whole of it."""
    with source.open() as file:
        raw = file.read()
    hits: dict[str, list[int]] = {}
    for index, key in scanner.scan_block(raw):
        hits.setdefault(key, []).append(index + 1)
    lines = []
    for number, line in enumerate(clean_block(raw).split(b"\n"), start=1):
        stamp, text = split_stamp(line)
        at = datetime.fromisoformat(stamp[:26].decode() + "+00:00") if stamp else None
        lines.append(LogLine(number, text.decode("utf-8", "replace")[:2000], at))
    if lines and not lines[-1].text:
        lines.pop()
    return Log(
        lines=tuple(lines),
        total_lines=len(lines),
        hits={key: tuple(numbers) for key, numbers in hits.items()},
        truncated=source.truncated,
    )
