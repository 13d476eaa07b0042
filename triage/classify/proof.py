"""Who wins on an excerpt: what `triage rules check` proves the examples with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.classify import classify_job, classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Annotation, Conclusion, Job, JobFacts, JobId, LogState, MissingLog, RunId, Where

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.model import Rule
    from triage.rules import RuleSet


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


_RED_JOB = Job(id=JobId(0), run_id=RunId(0), run_attempt=1, name="example", conclusion=Conclusion.FAILURE)
