"""The sentences about one cause, said once for every format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from triage.model import Category, Conclusion, EvidenceKind, Rerun
from triage.render.foreign_text import shown_line
from triage.render.wording import CATEGORY, ENDED, command
from triage.render.words import Code, Link, closed, listed, literal, plural, prose, sentence, without_stop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import Evidence, JobVerdict, Report, TestFailure
    from triage.render.ledger import Row
    from triage.render.words import Words

_VERB: Final = {**ENDED, Conclusion.CANCELLED: "was cancelled", Conclusion.STALE: "went stale"}
_VERBS: Final = {**_VERB, Conclusion.CANCELLED: "were cancelled"}
RERUN: Final = {Rerun.HELPS: "helps", Rerun.POINTLESS: "pointless", Rerun.UNKNOWN: "not known"}
_RERUN_SENTENCE: Final = {
    Rerun.HELPS: "A re-run helps",
    Rerun.POINTLESS: "A re-run is pointless",
    Rerun.UNKNOWN: "Whether a re-run helps is not known",
}
# What a fact is about, and what its address leads to.
_FACT: Final = {
    EvidenceKind.MAIN_RUN: ("main", "run"),
    EvidenceKind.OTHER_PULL: ("other PR", "job"),
    EvidenceKind.ATTEMPT: ("attempts", "attempt"),
    EvidenceKind.DIFF: ("change", "diff"),
    EvidenceKind.TIMING: ("timing", "job"),
    EvidenceKind.RULE: ("rule", "rule"),
}
_TITLE_NAME: Final = 72
TEST_LIMIT: Final = 240
CELL_REASON: Final = 40
_NEEDS_A_HOST: Final = frozenset({Category.INFRASTRUCTURE, Category.GPU_RESIDUE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something known about a cause: what to say under its label, what to say without one, and where to check it."""

    label: str
    words: Words
    unlabelled: Words = ()
    link: Link | None = None

    @property
    def standalone(self) -> Words:
        """The sentence for a list without labels."""
        return self.unlabelled or self.words


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
    """Return the size of a cause with those that only follow: `1 + 1 that follows`."""
    if not row.followers:
        return f"{len(row.roots):,}"
    return f"{len(row.roots):,} + {len(row.followers):,} that {'follows' if len(row.followers) == 1 else 'follow'}"


def also_on(row: Row, report: Report) -> Words:
    """Say where else the same failure was seen, and on which machines when machines are what fails."""
    parts: list[Words] = []
    if row.seen_on_main:
        parts.append((literal(report.repository.default_branch),))
    if row.other_pulls:
        parts.append((plural(len(row.other_pulls), "other PR"),))
    if row.cause.category in _NEEDS_A_HOST and row.runners:
        alone = len(row.runners) == 1
        seen = "always on " if alone and parts else "on "
        parts.append((seen, literal(row.runners[0])) if alone else (plural(len(row.runners), "host"),))
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
    """Say why the cause is in its category; nothing where one of its facts says it in the same words."""
    because = row.cause.because
    said = any(fact.text.strip(" .").casefold() == because.strip(" .").casefold() for fact in row.facts)
    return () if said else sentence(prose(because))


def _subject_and_verb(row: Row, *, most: int) -> tuple[Words, str]:
    jobs = [verdict.failure.job for verdict in row.roots]
    links = [Link(literal(job.name), job.url) for job in jobs]
    one = len(jobs) == 1
    if all(job.never_started for job in jobs):
        return listed(links, most=most), "never got a runner"
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


def tested(failed: int, ran: int | None) -> str:
    """Say how many tests failed, and of how many where that is known: `3 of 120 tests failed`."""
    if ran is not None and ran >= failed:
        return f"{failed:,} of {plural(ran, 'test')} failed"
    return f"{plural(failed, 'test')} failed"


def test_words(test: TestFailure) -> Words:
    """Name a failed test with its error: `test_a` in `tests/a.py`: `KeyError: 'x'`."""
    words: Words = (literal(test.id, limit=TEST_LIMIT),)
    if test.file and test.file not in test.id:
        words = (*words, " in ", literal(test.file))
    error = shown_line(": ".join(part for part in (test.exception, test.message) if part), limit=TEST_LIMIT).strip()
    return (*words, ": ", Code(error)) if error else words


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


def rerun_cell(row: Row) -> Words:
    """Say whether a re-run helps, with the reason where it is short enough for a table."""
    why = without_stop(prose(row.cause.rerun_why))
    short = sum(len(part if isinstance(part, str) else "") for part in why) <= CELL_REASON
    return (RERUN[row.cause.rerun], *((": ", *why) if why and short else ()))


def findings(row: Row, *, names: int, facts: int) -> tuple[Finding, ...]:
    """Return what was found out about a cause.

    Args:
        row: The cause.
        names: Most jobs or pull requests in one enumeration.
        facts: Most facts and most alternatives that were ruled out; those beyond are counted.

    Returns:
        Its facts, the other pull requests that show the same, what it is not, the rule that knows it, the jobs that
        follow from it, and whether a re-run helps.
    """
    pulls = [fact for fact in row.facts if fact.kind is EvidenceKind.OTHER_PULL]
    others = [_of_fact(fact) for fact in row.facts if len(pulls) == 1 or fact not in pulls]
    found = _at_most(facts, others, "fact")
    if len(pulls) > 1:
        links = listed([Link(f"#{fact.number}" if fact.number else "another", fact.url) for fact in pulls], most=names)
        found.append(Finding(label="other PRs", words=links, unlabelled=("The same on ", *links, ".")))
    ruled_out = [Finding(label="ruled out", words=sentence(prose(one))) for one in row.cause.ruled_out]
    found += _at_most(facts, ruled_out, "alternative ruled out", "alternatives ruled out")
    if row.cause.rule:
        rule = literal(row.cause.rule.id)
        found.append(Finding(label="rule", words=(rule,), unlabelled=("Recognised by rule ", rule, ".")))
        found += _known_issue(row.cause.rule.issue)
    if row.followers:
        found.append(_followers(row, most=names))
    return (*found, _rerun(row))


def _at_most(most: int, found: Sequence[Finding], one: str, many: str = "") -> list[Finding]:
    rest = len(found) - most
    counted = f"{plural(rest, f'more {one}', f'more {many}' if many else '')}."
    return [*found[:most], *([Finding(label="", words=(counted,))] if rest > 0 else [])]


def _followers(row: Row, *, most: int) -> Finding:
    names = [Link(literal(verdict.failure.job.name), verdict.failure.job.url) for verdict in row.followers]
    because = " failed only because of " + ("it." if len(row.roots) == 1 else "them.")
    jobs = listed(names, most=most)
    return Finding(label="cascade", words=jobs, unlabelled=(*jobs, because))


def _known_issue(url: str) -> list[Finding]:
    if not url:
        return []
    number = _ISSUE.search(url)
    name = f"#{number[1]}" if number else "an issue"
    link = Link(name, url, vetted=True)
    return [Finding(label="known", words=(name,), unlabelled=("Known: ", link, "."), link=link)]


_ISSUE: Final = re.compile(r"/(?:issues|pull|discussions|work_items|merge_requests)/(\d+)/?(?:[?#].*)?$")


def _rerun(row: Row) -> Finding:
    why = without_stop(prose(row.cause.rerun_why))
    reason: Words = (": ", *why) if why else ()
    said, in_full = RERUN[row.cause.rerun], _RERUN_SENTENCE[row.cause.rerun]
    return Finding(label="re-run", words=(said, *reason), unlabelled=closed((in_full, *reason)))


def _of_fact(fact: Evidence) -> Finding:
    label, noun = _FACT.get(fact.kind, ("fact", "see"))
    if fact.kind is EvidenceKind.OTHER_PULL and fact.number is not None:
        noun = f"#{fact.number}"
    elif fact.run_id is not None:
        noun = f"run {fact.run_id}"
    link = Link(noun, fact.url) if fact.url else None
    return Finding(label=label, words=sentence(prose(fact.text)), link=link)


def way_out(row: Row) -> tuple[Words, tuple[str, ...]]:
    """Return what to do about a cause: as sentences, and the commands among it, to copy."""
    texts = [text.strip().rstrip(".") for text in (row.cause.advice, *(step.text for step in row.cause.actions))]
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
