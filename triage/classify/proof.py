"""Who wins on an excerpt, and who shows where nothing failed: what `triage rules check` proves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.classify import classify_job, classify_log, make_scanner
from triage.classify.context import JobContext
from triage.classify.explaining import story_of
from triage.logs import TextSource, read_log, read_tests
from triage.model import Annotation, Conclusion, Job, JobFacts, JobId, LogState, MissingLog, RunId, Where
from triage.redact import redact
from triage.rules.hygiene import pattern_key
from triage.rules.ruleset import problem_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from triage.errors import Problem
    from triage.model import Rule
    from triage.rules import Match, RuleSet
    from triage.source import LogSource


def rule_that_wins(rules: RuleSet) -> Callable[[Rule, str], str | None]:
    """Return what names the rule that the product believes for an excerpt, in the whole set."""
    scanner = make_scanner(rules)

    def winner(rule: Rule, excerpt: str) -> str | None:
        if rule.where is Where.ANNOTATION:
            facts = JobFacts(
                job=_RED_JOB,
                log=MissingLog(state=LogState.ABSENT, why="an annotation is all there is"),
                annotations=(Annotation(message=excerpt),),
            )
            failure = classify_job(facts, rules, scanner)
        else:
            log = read_log(TextSource("excerpt", excerpt), scanner)
            failure = classify_log("excerpt", log, read_tests(log), rules, scanner)
        return failure.rule.id if failure.rule else None

    return winner


def check_passing(rules: RuleSet, logs: Iterable[LogSource]) -> tuple[Problem, ...]:
    """Find rules that show in logs of jobs that passed; each is told once, with its first line.

    Not whether the product would be alarmed, which takes a failure: a rule that shows where nothing failed would be
    quoted, sooner or later, where something else did.
    """
    scanner = make_scanner(rules)
    shown: dict[str, list[tuple[str, Match]]] = {}
    for source in logs:
        log = read_log(source, scanner)
        facts = JobFacts(job=_RED_JOB, log=log, tests=read_tests(log))
        story = story_of(JobContext(facts=facts, rules=rules, scanner=scanner))
        for match in story.matches if story else ():
            shown.setdefault(match.rule.id, []).append((source.name, match))
    return tuple(_alarm(rules, places) for places in shown.values())


def _alarm(rules: RuleSet, places: Sequence[tuple[str, Match]]) -> Problem:
    name, match = places[0]
    others = sorted({each for each, _ in places} - {name})
    also = f", and in {', '.join(f'`{each}`' for each in others)}" if others else ""
    told = (
        f"shows in the passing log `{name}`, line {match.line.number}: `{redact(match.line.text.strip())[:120]}`{also}"
    )
    advice = "match more of the line, or name what must not stand there with `but_not` or `unless`"
    return problem_at(rules, match.rule, pattern_key(rules, match.rule), f"{told}; {advice}")


_RED_JOB = Job(id=JobId(0), run_id=RunId(0), run_attempt=1, name="example", conclusion=Conclusion.FAILURE)
