"""What JOB means: a name, a name in quotes, a name without its matrix, a job's number, or a cause's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from triage.entry.command.answers import Refused, bullets, code
from triage.render.foreign_text import shown_name
from triage.render.ledger import rows_of, running

if TYPE_CHECKING:
    from triage.entry.command.parser import Word
    from triage.model import JobVerdict, Report
    from triage.render.ledger import Row

_MATRIX: Final = re.compile(r"\s*\([^()]*\)$")
_MOST_SHOWN: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What was meant: a failed job, or, without one, a whole cause; `by_number` where its number was given."""

    row: Row
    job: JobVerdict | None = None
    by_number: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    job: JobVerdict
    row: Row


def find_target(words: tuple[Word, ...], report: Report) -> tuple[Target, tuple[Word, ...]]:
    """Find the job or cause that the first words name: as many of them as make a name.

    Returns:
        What was meant, and the words that are left.

    Raises:
        Refused: Nothing is called so, or several things are.
    """
    for count in range(1 if words[0].quoted else len(words), 0, -1):
        if any(word.quoted for word in words[1:count]):
            continue
        found = _named(words[:count], report)
        if len(found) > 1:
            raise Refused("ambiguous", f"that may mean any of these; name one by its number:\n\n{_shown(found)}")
        if found:
            return found[0], words[count:]
    raise Refused("no-such-job", _no_such(report))


def find_cause(words: tuple[Word, ...], report: Report) -> Target:
    """Find the job that all the words name, or the cause of all jobs that they name.

    Raises:
        Refused: As for `find_target`.
    """
    found = _named(words, report)
    if len(found) > 1 and len({target.row.cause.id for target in found}) == 1:
        return Target(row=found[0].row)
    return find_only(words, report)


def find_only(words: tuple[Word, ...], report: Report) -> Target:
    """Find the job or cause that all the words name.

    Raises:
        Refused: As for `find_target`.
    """
    target, rest = find_target(words, report)
    if rest:
        raise Refused("no-such-job", _no_such(report))
    return target


def _named(words: tuple[Word, ...], report: Report) -> tuple[Target, ...]:
    rows = rows_of(report)
    places = [_Place(job, row) for row in rows for job in (*row.roots, *row.followers)]
    name = " ".join(" ".join(word.text for word in words).split())
    digits = name.removeprefix("#")
    by_number: list[Target] = []
    if not words[0].quoted and digits.isascii() and digits.isdigit():
        by_number += [Target(row=row, by_number=True) for row in rows if str(row.cause.id) == digits]
        by_number += [Target(row=one.row, job=one.job) for one in places if str(one.job.failure.job.id) == digits]
    exact = [one for one in places if _name(one) == name]
    wanted = exact or ([] if by_number else [one for one in places if name in _short_names(_name(one))])
    return (*by_number, *(Target(row=one.row, job=one.job) for one in wanted))


def _name(place: _Place) -> str:
    return shown_name(place.job.failure.job.name)


def _short_names(name: str) -> set[str]:
    """Return the name without its matrix, and without the job that called it: `unit` of `tests / unit (3.11)`."""
    last = name.rpartition(" / ")[2]
    return {last, _MATRIX.sub("", name), _MATRIX.sub("", last)} - {""}


def _shown(targets: tuple[Target, ...]) -> str:
    return bullets(tuple(_described(target) for target in targets), most=_MOST_SHOWN)


def _described(target: Target) -> str:
    if target.job is None:
        return f"`{target.row.cause.id}`: cause {target.row.cause.id}"
    job = target.job.failure.job
    of = f" of {code(job.workflow)}" if job.workflow else ""
    return f"`{job.id}`: {code(job.name)}{of}"


def nothing_failed(report: Report) -> str:
    """Say of a report without failed jobs what it means."""
    if running(report):
        return "no job of this pull request has failed so far, and not everything is over."
    return "no job of this pull request has failed."


def _no_such(report: Report) -> str:
    jobs = tuple(code(verdict.failure.job.name) for verdict in report.jobs)
    if not jobs:
        return nothing_failed(report)
    return f"no failed job is called so. These failed:\n\n{bullets(jobs, most=_MOST_SHOWN)}"
