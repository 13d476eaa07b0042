"""Why a rule was believed or not, for each line of a log on which one shows: what `triage rules explain` tells.

It tells the reasons of `triage.classify.story` and `triage.classify.text` again, in words; it decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TYPE_CHECKING

from triage.classify.story import Story
from triage.classify.text import STOPS_BEFORE_WORK, shows_no_failure
from triage.model import Basis, EvidenceKind, Where
from triage.rules.match import BLAMES_CODE, near_misses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.classify.context import JobContext
    from triage.model import Failure, Rule
    from triage.rules.match import Match


@unique
class Lot(StrEnum):
    """What became of a rule on a line."""

    WON = "won"
    LOST = "lost"
    VOID = "void"  # it shows, and may not hold there
    SILENT = "silent"  # its pattern matches, and a condition of its own silences it


@dataclass(frozen=True, slots=True)
class Reason:
    """One rule on one line of the log, and why it was believed or not."""

    line: int
    rule: str
    lot: Lot
    why: str


def story_of(context: JobContext) -> Story | None:
    """Return the log with all that was found in it; None without a log."""
    if context.view is None or context.ending is None:
        return None
    return Story(context=context, view=context.view, ending=context.ending)


def reasons(context: JobContext, failure: Failure) -> tuple[Reason, ...]:
    """Say of every rule that shows, and of those that nearly do, why it was believed or not.

    Args:
        context: The job.
        failure: What the product made of it.

    Returns:
        By line, then in file order of the rules.
    """
    story = story_of(context)
    if story is None:
        return ()
    told = _Teller(story, failure)
    found = [told.of(match) for match in story.shown]
    found += [
        Reason(miss.line, miss.rule.id, Lot.SILENT, miss.why) for miss in near_misses(context.rules, story.view.log)
    ]
    if told.rule is not None and not any(reason.lot is Lot.WON for reason in found):
        found.append(Reason(told.line, told.rule.id, Lot.WON, "the very error of the failed test says so"))
    return tuple(sorted(found, key=lambda reason: reason.line))


class _Teller:
    """Tells the reasons in one log."""

    def __init__(self, story: Story, failure: Failure) -> None:
        self._story = story
        self._failure = failure
        self.rule: Rule | None = failure.rule
        quoted = [fact.line for fact in failure.evidence if fact.kind is EvidenceKind.LOG_LINE and fact.line]
        own = [match.line.number for match in story.shown if self.rule is not None and match.rule.id == self.rule.id]
        self.line = next((number for number in quoted if number in own), (quoted or own or [0])[0])

    def of(self, match: Match) -> Reason:
        """Say what became of one match."""
        rule, number = match.rule, match.line.number
        if self.rule is not None and (rule.id, number) == (self.rule.id, self.line):
            return Reason(number, rule.id, Lot.WON, self._why_won(match))
        void = next(self._void(match), None)
        if void is not None:
            return Reason(number, rule.id, Lot.VOID, void)
        if self.rule is not None and rule.id == self.rule.id:
            return Reason(number, rule.id, Lot.WON, f"says the same as line {self.line}")
        return Reason(number, rule.id, Lot.LOST, self._why_lost(match))

    def _void(self, match: Match) -> Iterator[str]:
        """Yield what keeps a match from counting at all."""
        story, rule, number = self._story, match.rule, match.line.number
        if rule.wrapper:
            yield "a wrapper: it only says that something failed"
        if rule.where is Where.ANNOTATION:
            yield "holds in GitHub's annotations only"
        if match not in story.matches:
            yield from self._misplaced(match)
        if shows_no_failure(story):
            yield "the log ends well, so nothing is looked for"
        if match not in story.failing:
            section = story.ending.failing
            yield (
                f"stands outside the part that failed (lines {section.first} to {section.last})"
                if not section.holds(number)
                else "another failed part was read first"
            )

    def _misplaced(self, match: Match) -> Iterator[str]:
        rule, view = match.rule, self._story.view
        span = view.span_of(match.line.number)
        if any(view.is_in_tests(line.number) for line in match.lines):
            yield f"running tests wrote this, and it holds outside of that only (`where: {rule.where}`)"
        if rule.steps and span is not None:
            yield f"holds in steps {', '.join(rule.steps)} only, and this is step `{span.name}`"

    def _why_won(self, match: Match) -> str:
        basis = self._story.ending.failing
        place = f"in the part that failed (lines {basis.first} to {basis.last})"
        if match.rule.fault in STOPS_BEFORE_WORK:
            return f"{place}: the job stopped before its work, and that is asked first"
        if self._story.view.failing_tests:
            return "the failed tests only tell of what this says"
        if match.rule.fault in BLAMES_CODE:
            return f"{place}: the first cause of the last outburst of errors"
        return f"{place}: shows last, and stands first in the file of those that show with it"

    def _why_lost(self, match: Match) -> str:
        failure, winner = self._failure, self.rule
        if failure.basis is Basis.TESTS:
            return f"tests failed, and their own errors are asked first (line {self.line})"
        if winner is None:
            return (
                f"{_BASES[failure.basis]} decided (line {self.line})"
                if self.line
                else f"{_BASES[failure.basis]} decided"
            )
        by = f"`{winner.id}` (line {self.line})"
        if winner.fault in STOPS_BEFORE_WORK:
            return f"{by} says that the job stopped before its work, and that is asked first"
        blames, wins_as_code = match.rule.fault in BLAMES_CODE, winner.fault in BLAMES_CODE
        if blames and wins_as_code:
            return f"{by} is the first cause of the last outburst of errors"
        if blames:
            return f"{by} blames no code and ends the part that failed, and this may be what came of it"
        if wins_as_code:
            return f"{by} blames the code: an excuse must end the part that failed, with nothing broken apart from it"
        return f"{by} shows with it or after it, and stands first in the file of those that show together"


_BASES = {
    Basis.PLATFORM: "what GitHub says of the job",
    Basis.RULE: "how the log is built, or the arithmetic of GPU memory",
    Basis.TESTS: "the failed tests",
    Basis.GUESS: "a guess",
    Basis.NOTHING: "nothing",
}
