"""The next steps of a cause, and who is asked for them."""

# ruff: noqa: ARG001 - every kind of step is asked with the same three things

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.decide.advice.case import OF_MACHINES, Case
from triage.decide.sentences import names, quoted
from triage.model import Action, Category, Rerun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from triage.decide.advice.rerun import Again

ADVICE: dict[Category, str] = {
    Category.INFRASTRUCTURE: "Tell whoever runs the machines; nothing is asked of the author.",
    Category.MISSING_LABEL: "Give the gate what it asks for.",
    Category.GPU_RESIDUE: "Find out what left memory on the GPU; nothing is asked of the author.",
    Category.PRE_EXISTING: "Leave it to the default branch; nothing is asked of the author.",
    Category.REGRESSION: "Mend the change.",
    Category.CASCADE: "Look at the job it follows.",
    Category.STARVED: "Nothing is broken: there were too few runners.",
    Category.CANCELLED: "Nothing broke; only a result is missing.",
    Category.FLAKY: "The test needs care of its own; nothing is asked of this change.",
    Category.UNKNOWN: "Please look at the lines shown: nothing else says whose failure it is.",
}
"""What to do when no rule says it better."""

_RULE_KNOWS_BETTER = frozenset(
    {Category.INFRASTRUCTURE, Category.MISSING_LABEL, Category.GPU_RESIDUE, Category.REGRESSION}
)


def advice(case: Case) -> str:
    """Say in a sentence or two what to do about a cause."""
    rule = case.first.rule
    if case.category is Category.MISSING_LABEL and case.way_out is not None and case.way_out.advice:
        return case.way_out.advice
    if case.category is Category.MISSING_LABEL and case.label and not case.has_label:
        return f"Add the label {quoted(case.label)}, or ask a maintainer to."
    if rule is not None and rule.advice and case.category in _RULE_KNOWS_BETTER:
        return rule.advice.strip()
    if case.category is Category.PRE_EXISTING and case.check == "fixed_on_main":
        return "Rebase."
    if case.category is Category.UNKNOWN and not case.quotes:
        return "Please look at the job itself: nothing that could be read says what broke."
    return ADVICE[case.category]


def actions(case: Case, again: Again, repository: str) -> tuple[Action, ...]:
    """Return the next steps of a cause, the author's first.

    Args:
        case: The cause.
        again: What `rerun` says of it.
        repository: `owner/name`, for commands.
    """
    return tuple(step for steps in STEPS for step in steps(case, again, repository))


def _for_the_author(case: Case, again: Again, repository: str) -> Iterator[Action]:
    if case.category is Category.REGRESSION:
        yield Action(kind="fix", text=f"Mend the change: {case.first.title}")
    if case.category is Category.PRE_EXISTING and case.check == "fixed_on_main":
        base = case.change.pull.base_ref if case.change.pull else ""
        yield Action(kind="rebase", text=f"Rebase onto {quoted(base)}" if base else "Rebase onto the default branch")


def _for_the_gate(case: Case, again: Again, repository: str) -> Iterator[Action]:
    if case.category is not Category.MISSING_LABEL or case.change.pull is None:
        return
    rule = case.first.rule.id if case.first.rule else ""
    if case.label and not case.has_label:
        yield Action(
            kind="add-label", text=f"Add the label {quoted(case.label)}", label=case.label, command=_command(case)
        )
    elif "approv" in rule:
        yield Action(kind="approve", text="Have a maintainer approve the run")
    elif _WAITS.search(rule):
        yield Action(kind="wait", text="Wait until the cool-down is over, then run it again")


_WAITS = re.compile(r"cool|wait|minutes|rate")
_COMMANDS = (
    re.compile(r"[\s(`'\"](/[a-z][a-z0-9-]{1,39}(?: [a-z][a-z0-9-]{0,39}){0,2})[)`'\"]"),  # closed off, with arguments
    re.compile(r"\b(?:via|with|using|comment|run|type) `?(/[a-z][a-z0-9-]{1,39})(?![/\w])"),
)
"""A comment command as gates name it. Never a path: nothing may follow that a path would go on with."""


def _command(case: Case) -> str | None:
    """Return the comment command that adds the label, such as `/tag-and-rerun-ci extra`; None without one.

    The repository's own settings know best, then the words of the gate itself.
    """
    if case.way_out is not None and case.way_out.command:
        return case.way_out.command
    texts = [fact.text for failure in case.failures for fact in failure.evidence if (case.label or "") in fact.text]
    found = (pattern.search(text) for pattern in _COMMANDS for text in texts)
    return next((match[1] for match in found if match), None)


def _for_the_runners(case: Case, again: Again, repository: str) -> Iterator[Action]:
    if case.category is Category.STARVED:
        labels = dict.fromkeys(label for failure in case.failures for label in failure.job.labels)
        what = f"runners with {names(tuple(labels))}" if labels else "runners"
        yield Action(kind="wait", text=f"Wait until {what} are free")
    if case.category in OF_MACHINES and case.is_of_the_machine:
        for host in case.hosts[:3]:
            yield Action(kind="report-runner", text=f"Have {quoted(host)} looked at", runner=host)


def _run_again(case: Case, again: Again, repository: str) -> Iterator[Action]:
    if again.rerun is not Rerun.HELPS:
        return
    jobs = [failure.job for failure in case.failures]
    command = f"gh run rerun --job {jobs[0].id} --repo {repository}" if len(jobs) == 1 else None
    yield Action(kind="rerun", text=f"Re-run {names([job.name for job in jobs])}", command=command)


STEPS: tuple[Callable[[Case, Again, str], Iterator[Action]], ...] = (
    _for_the_author,
    _for_the_gate,
    _for_the_runners,
    _run_again,
)
"""Who is asked, in this order."""
