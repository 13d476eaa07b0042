"""One log with all that was found in it: what the checks of `triage.classify.text` look at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from triage.classify.denials import is_mended, is_taken_back
from triage.classify.finding import log_gap
from triage.classify.gpu_table import ran_nothing_before
from triage.classify.holders import holder_of
from triage.classify.leading import lead
from triage.classify.places import places_of
from triage.classify.platform_words import only_cut_off
from triage.classify.quoting import quote_all
from triage.classify.results import failed_before, without_own_reports
from triage.classify.used_up import RESET, may_be_own
from triage.model import Basis, Failure, Fault, Where
from triage.regex import regex
from triage.rules.match import BLAMES_CODE, Match, matches
from triage.signature import signature_of_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from triage.classify.context import JobContext
    from triage.classify.ending import Ending
    from triage.classify.view import LogView
    from triage.model import LogLine

MOST_EVIDENCE = 8
"""Log lines quoted for one job."""

COMPARED = regex(
    r"^\s*(?:E +)?\W{0,2}\s*(?:[Gg]ot|[Ww]ant(?:ed)?|[Ee]xpected|[Aa]ctual|[Rr]eceived)(?: \([^)]*\))?\s*[:=]"
)
"""A line that shows one side of a comparison: some test meant to say so, whichever harness ran it."""

_CONTROLLER = regex(
    r"^(?:Could not connect to \S+ to send |\S+ was marked offline: |(?:ERROR: )?Agent \S+ was deleted;"
    r"|(?:FATAL: |Caused: )?java\.io\.IOException: Backing channel ')"
)
"""What a Jenkins controller writes of its agent, between the lines of whatever runs there."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """One log with all that was found in it."""

    context: JobContext
    view: LogView
    ending: Ending

    @cached_property
    def shown(self) -> tuple[Match, ...]:
        """Where rules show at all, by rising line: in output of tests, too, and wrappers with them."""
        return matches(self.context.rules, self.view.log)

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """Where rules show and may hold, wrappers left out, by rising line."""
        return tuple(match for match in self.shown if not match.rule.wrapper and self._may_hold(match))

    @cached_property
    def outside_tests(self) -> tuple[Match, ...]:
        """Those of the whole log that no test wrote, by rising line."""
        return tuple(match for match in self.matches if not any(self.view.is_in_tests(at.number) for at in match.lines))

    @cached_property
    def failing(self) -> tuple[Match, ...]:
        """Those of the part that failed; of any failed part when the first one has none."""
        for section in self.ending.sections:
            here = [match for match in self.matches if section.holds(match.line.number)]
            if kept := without_own_reports(self.view, section, here):
                return kept
        return ()

    def _may_hold(self, match: Match) -> bool:
        rule, number = match.rule, match.line.number
        if rule.where is Where.ANNOTATION:
            return False
        if rule.steps and not self._is_in_step(number, rule.steps):
            return False
        if is_taken_back(match.line.text) or (rule.fault is not Fault.CASCADE and self.view.is_input(number)):
            return False
        if rule.fault not in BLAMES_CODE and (COMPARED.match(match.line.text) or is_mended(match.line, self.view)):
            return False
        if rule.fault is Fault.CASCADE and failed_before(self.view, number):
            return False
        if rule.where is Where.ANYWHERE or self._is_word_of_runner(match) or self._stands_before_tests(match):
            return True
        return not any(self.view.is_in_tests(line.number) for line in match.lines)

    def _is_word_of_runner(self, match: Match) -> bool:
        """Whether the runner itself broke into the output of tests of which none had failed."""
        text = match.line.text
        is_of_jenkins = self.ending.line is not None and self.ending.line.text.startswith("Finished: ")
        said = text.startswith("##[error]") or (is_of_jenkins and _CONTROLLER.match(text))
        return bool(said) and (not self.view.failing_tests or only_cut_off(self))

    def _stands_before_tests(self, match: Match) -> bool:
        """Whether a run of tests met a device that does not answer before it ran any of them, and named none."""
        return (
            match.rule.id in RESET and not self.view.failing_tests and ran_nothing_before(self.view, match.line.number)
        )

    def _is_in_step(self, number: int, globs: tuple[str, ...]) -> bool:
        span = self.view.span_of(number)
        return span is None or any(fnmatchcase(span.name.lower(), glob.lower()) for glob in globs)

    def failure(self, fault: Fault, title: str, lines: Iterable[LogLine], basis: Basis) -> Failure:
        """Build the answer, quoting `lines` in the order given; a first one that says less than the next gives way."""
        context, lines = self.context, lead(tuple(lines), self.view)
        return Failure(
            job=context.job,
            fault=fault,
            basis=basis,
            title=title,
            log_state=context.log_state,
            evidence=quote_all(lines, context.job, self.view, most=MOST_EVIDENCE),
            tests=context.facts.tests,
            failed_step=context.job.failed_step,
            places=places_of(lines) if fault in BLAMES_CODE else (),
            gaps=tuple(log_gap(context)),
        )

    def from_match(self, match: Match, lines: Iterable[LogLine]) -> Failure:
        """Build the answer that a rule gives."""
        rule, captures = match.rule, match.captures
        identity = {name: text for name, text in captures.items() if name not in {"roots", "root"}}
        fault, title = rule.fault, rule.title
        if holder := holder_of(self.view, match):
            lines = (*lines, holder)
        if own := may_be_own(self.shown, match, self.view):
            fault, title = Fault.UNKNOWN, f"{title}, {own}"
        return replace(
            self.failure(fault, title, lines, Basis.RULE),
            rule=rule,
            signature=signature_of_rule(rule.id, identity),
            roots=tuple(_names(captures.get("roots") or captures.get("root") or "")),
            label=captures.get("label"),
        )


def _names(text: str) -> Iterator[str]:
    """Split a list of job names; a comma inside brackets belongs to a matrix job's name."""
    name, depth = "", 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth <= 0:
            if name.strip():
                yield name.strip().strip("`'\"")
            name = ""
        else:
            name += char
    if name.strip():
        yield name.strip().strip("`'\"")
