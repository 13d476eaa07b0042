"""What was found out about one cause, as a list of sentences that can be checked, said once for every format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from triage.model import EvidenceKind, Rerun
from triage.regex import regex
from triage.render.words import Link, closed, listed, literal, plural, prose, sentence, without_stop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import Evidence
    from triage.render.ledger import Row
    from triage.render.words import Words

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
CELL_REASON: Final = 40
# A reason that begins like this goes on where the answer ends: `helps once runners are free`.
_GOES_ON: Final = regex(r"(?:after|before|if|on|once|unless|until|when|while|with) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something known about a cause: what to say under its label, what to say without one, and where to check it."""

    label: str
    words: Words
    unlabelled: Words = ()
    links: tuple[Link, ...] = ()

    @property
    def standalone(self) -> Words:
        """The sentence for a list without labels."""
        return self.unlabelled or self.words


def findings_of(row: Row, *, names: int, facts: int) -> tuple[Finding, ...]:
    """Return what was found out about a cause.

    Args:
        row: The cause.
        names: Most jobs or pull requests in one enumeration.
        facts: Most facts and most alternatives that were ruled out; those beyond are counted.

    Returns:
        Its facts but the one that `because_of` tells, the other pull requests that show the same, what it is not, the
        rule that knows it, the jobs that follow from it, and whether a re-run helps.
    """
    pulls = [fact for fact in row.facts if fact.kind is EvidenceKind.OTHER_PULL]
    told = {_reason_among_facts(row), *(pulls if len(pulls) > 1 else ())}
    alike: dict[tuple[EvidenceKind, str], list[Evidence]] = {}
    for fact in row.facts:
        if fact not in told:
            alike.setdefault((fact.kind, fact.text), []).append(fact)
    found = _at_most(facts, [_of_facts(same) for same in alike.values()], "fact")
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
    return [Finding(label="known", words=(name,), unlabelled=("Known: ", link, "."), links=(link,))]


_ISSUE: Final = regex(r"/(?:issues|pull|discussions|work_items|merge_requests)/(\d+)/?(?:[?#].*)?$")


def _rerun(row: Row) -> Finding:
    said, in_full, reason = RERUN[row.cause.rerun], _RERUN_SENTENCE[row.cause.rerun], _reason(row)
    return Finding(label="re-run", words=(said, *reason), unlabelled=closed((in_full, *reason)))


def _of_facts(alike: Sequence[Evidence]) -> Finding:
    """Say once what several facts say in the same words, with all the places."""
    label = _FACT.get(alike[0].kind, ("fact", ""))[0]
    links = dict.fromkeys(link for fact in alike if (link := _link_of(fact)))
    return Finding(label=label, words=sentence(prose(alike[0].text)), links=tuple(links))


def _link_of(fact: Evidence) -> Link | None:
    noun = _FACT.get(fact.kind, ("", "see"))[1]
    if fact.kind is EvidenceKind.OTHER_PULL and fact.number is not None:
        noun = f"#{fact.number}"
    elif fact.run_id is not None:
        noun = f"run {fact.run_id}"
    return Link(noun, fact.url) if fact.url else None


def proof_of(row: Row) -> Link | None:
    """Return where it can be checked why the cause is in its category, when one of its facts is the reason."""
    fact = _reason_among_facts(row)
    return _link_of(fact) if fact else None


def _reason_among_facts(row: Row) -> Evidence | None:
    """Return the fact that says in the same words why the cause is in its category."""
    because = row.cause.because.strip(" .").casefold()
    return next((fact for fact in row.facts if fact.text.strip(" .").casefold() == because), None)


def rerun_cell(row: Row) -> Words:
    """Say whether a re-run helps, and when, where that is short enough for a table; why, the block says."""
    answer, reason = RERUN[row.cause.rerun], _reason(row)
    short = sum(len(part if isinstance(part, str) else "") for part in reason) <= CELL_REASON
    return (answer, *reason) if reason[:1] == (" ",) and short else (answer,)


def _reason(row: Row) -> Words:
    """Return why a re-run helps or not, to stand behind the answer: ` once runners are free`, `: it fails on main`."""
    why = without_stop(prose(row.cause.rerun_why))
    if not why:
        return ()
    goes_on = row.cause.rerun is not Rerun.UNKNOWN and isinstance(why[0], str) and _GOES_ON.match(why[0])
    return (" " if goes_on else ": ", *why)
