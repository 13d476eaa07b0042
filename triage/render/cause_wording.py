"""The sentences about one cause, said once for every format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.model import Category, Conclusion, EvidenceKind
from triage.render.failure_wording import tested
from triage.render.foreign_text import shown_name
from triage.render.wording import CATEGORY, ENDED, command
from triage.render.words import Code, Link, listed, literal, plural, prose, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.model import Evidence, JobVerdict, Report
    from triage.render.ledger import Row
    from triage.render.words import Words

_VERB: Final = {**ENDED, Conclusion.CANCELLED: "was cancelled", Conclusion.STALE: "went stale"}
_VERBS: Final = {**_VERB, Conclusion.CANCELLED: "were cancelled"}
_TITLE_NAME: Final = 72
_NEEDS_A_HOST: Final = frozenset({Category.INFRASTRUCTURE, Category.GPU_RESIDUE})


def title_of(row: Row) -> Words:
    """Return what broke, long names of tests and files cut to their end, which tells them apart."""
    title = prose(row.cause.title) or (CATEGORY[row.cause.category],)
    return tuple(Code(_end_of(part.text)) if isinstance(part, Code) else part for part in title)


def _end_of(name: str) -> str:
    """Return the last parts of a test's or file's name that fit into a title, at least the last one, if need be cut."""
    separator = "::" if "::" in name else "/"
    end = ""
    for part in reversed(name.split(separator)):
        longer = f"{part}{separator}{end}" if end else part
        if len(longer) > _TITLE_NAME:
            break
        end = longer
    return end or f"…{name[1 - _TITLE_NAME :]}"


def jobs_of(row: Row) -> str:
    """Return the size of a cause with those that only follow: `1 + 4`."""
    return f"{len(row.roots):,} + {len(row.followers):,}" if row.followers else f"{len(row.roots):,}"


def seen_on(row: Row, report: Report) -> Words:
    """Say where else the same failure was seen, and on which machines when machines are what fails."""
    parts: list[Words] = []
    if row.seen_on_main:
        parts.append((literal(report.repository.default_branch),))
    if row.other_pulls:
        parts.append((plural(len(row.other_pulls), "other PR"),))
    if row.cause.category in _NEEDS_A_HOST and row.runners:
        alone = len(row.runners) == 1
        always = ("always ",) if alone and parts else ()
        parts.append((*always, literal(row.runners[0])) if alone else (plural(len(row.runners), "host"),))
    return tuple(piece for index, part in enumerate(parts) for piece in ((", ",) if index else ()) + part)


def where_it_died(row: Row, *, most: int) -> Words:
    """Say which jobs failed, in which step, on which machine, and how much was tested until then."""
    if not row.roots:
        return ()
    subject, verb = _subject_and_verb(row, most=most)
    steps = {_step(verdict) for verdict in row.roots}
    step = steps.pop() if len(steps) == 1 else ""
    words: Words = (*subject, f" {verb}")
    if step:
        words = (*words, " in step ", literal(step))
    return sentence((*words, *_machines(row), *_tested(row)))


def because_of(row: Row) -> Words:
    """Say why the cause is in its category."""
    return sentence(prose(row.cause.because))


def _subject_and_verb(row: Row, *, most: int) -> tuple[Words, str]:
    jobs = [verdict.failure.job for verdict in row.roots]
    links = [Link(literal(job.name), job.url) for job in jobs]
    one = len(jobs) == 1
    if all(job.never_started for job in jobs):
        starved = row.cause.category is Category.STARVED
        return listed(links, most=most), "never got a runner" if starved else "never started"
    verbs = {job.conclusion or Conclusion.UNKNOWN for job in jobs}
    words = _VERB if one else _VERBS
    verb = words.get(verbs.pop(), "ended unclearly") if len(verbs) == 1 else "failed or were cancelled"
    return listed(links, most=most), verb


def _step(verdict: JobVerdict) -> str:
    step = verdict.failure.failed_step or verdict.failure.job.failed_step
    return step.name if step else ""


def _machines(row: Row) -> Words:
    here = row.own_runners
    if not here or row.cause.category not in _NEEDS_A_HOST:
        return ()
    return (" on ", *listed([literal(name) for name in here], most=3))


def _tested(row: Row) -> Words:
    failed = len(row.failed_tests)
    if failed:
        # Several jobs may each have run the same tests: only of one job is it known how many different ones there were.
        return (f"; {tested(failed, row.roots[0].failure.tests.ran if len(row.roots) == 1 else None)}",)
    if row.silent and not all(verdict.failure.job.never_started for verdict in row.roots):
        return ("; zero tests ran",)
    return ()


def places(lines: Sequence[Evidence]) -> Words:
    """Say where the deciding lines stand: `log lines 33, 34`, or that GitHub wrote them and not a log."""
    numbered = [line for line in lines if line.kind is EvidenceKind.LOG_LINE and line.line]
    words: Words = ()
    for index, line in enumerate(numbered):
        lead = ", " if index else "log line " if len(numbered) == 1 else "log lines "
        words = (*words, lead, Link(str(line.line), line.url))
    others = [line for line in lines if line not in numbered]
    for line in others[:1]:
        who = "GitHub's annotation" if line.kind is EvidenceKind.ANNOTATION else "log"
        words = (*words, *((", ",) if words else ()), Link(who, line.url))
    return words


def way_out(row: Row) -> tuple[Words, tuple[str, ...]]:
    """Return what to do about a cause: as sentences, and the commands among it, to copy."""
    texts = [text.strip().rstrip(".") for text in (row.cause.advice, *_steps(row))]
    # General advice is often the beginning of a more precise step.
    told = [
        text for text in dict.fromkeys(texts) if not any(other != text and other.startswith(text) for other in texts)
    ]
    steps = [sentence(prose(text)) for text in told]
    words: Words = ()
    for step in steps:
        words = (*words, " ", *step) if words else step
    commands = dict.fromkeys(command(step) for step in row.cause.actions)
    return words, tuple(one for one in commands if one)


def _steps(row: Row) -> Iterator[str]:
    """Yield the next steps: what the heading has just said is not said again, and all machines are named in one."""
    hosts = [action.runner for action in row.cause.actions if action.kind == "report-runner" and action.runner]
    for action in row.cause.actions:
        if action.kind != "report-runner" or len(hosts) < 2:
            yield action.text.removesuffix(f": {row.cause.title}")
        elif action.runner == hosts[0]:
            rest = len(set(row.runners) - set(hosts))
            from triage.decide.sentences import quoted  # `triage log` needs nothing of the decisions

            named = [quoted(shown_name(host)) for host in hosts] + ([f"{rest} more"] if rest else [])
            yield f"Have {', '.join(named[:-1])} and {named[-1]} looked at"
