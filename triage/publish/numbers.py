"""What the numbers of causes mean in a comment: its last line, hidden.

    <!-- ci-causes 1-5f0c1de4 2-b7a90c3e -->

A report that is made anew may number its causes otherwise; whoever comments `/triage rerun 2` means the 2 that they
saw.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

from triage.render.ledger import rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.model import Report
    from triage.render.ledger import Row

MOST: Final = 60
_LINE: Final = re.compile(r"<!-- ci-causes((?: \d{1,4}-[0-9a-f]{8}){1,60}) -->", re.ASCII)


def numbers_line(report: Report) -> str:
    """Write the line; empty when there is no cause. Causes beyond `MOST` are left out."""
    rows = sorted(rows_of(report), key=lambda row: row.cause.id)[:MOST]
    marks = "".join(f" {row.cause.id}-{mark_of(row)}" for row in rows)
    return f"<!-- ci-causes{marks} -->" if marks else ""


def read_numbers(body: str) -> Mapping[int, str]:
    """Read the last line of a comment; empty when it is none of ours."""
    last = body.rstrip().rpartition("\n")[2].strip()
    found = _LINE.fullmatch(last)
    pairs = (pair.split("-") for pair in found[1].split()) if found else ()
    return {int(number): mark for number, mark in pairs}


def mark_of(row: Row) -> str:
    """Return what stays equal while a cause breaks the same jobs: in other attempts, too, and whatever it is called."""
    jobs = sorted(f"{verdict.failure.job.run_id} {verdict.failure.job.name}" for verdict in row.roots)
    return hashlib.sha256("\n".join(jobs).encode()).hexdigest()[:8]
