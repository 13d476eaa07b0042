"""Gates that refused and jobs that only report on others, read by their structure, however they word it.

Such a job runs no test and builds nothing; its last words say what it waits for. A gate names a label (or a pause) and
what to do about it. A report shows results in GitHub's own four words and ends with one that is not `success`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from triage.classify.guesses import told_in
from triage.classify.results import HANDED, HANDED_BY_NEEDS, RESULT, RESULTS_IN_JSON, failed_before, was_handed
from triage.classify.signs import look_at
from triage.model import Basis, Fault
from triage.regex import regex
from triage.signature import signature_of_line, signature_of_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.classify.signs import Look
    from triage.classify.story import Story
    from triage.model import Failure, LogLine

LAST_WORDS = 4
"""Lines at the end of the failing part among which a gate or a report says why it stops."""

SHORT = 80
"""Lines that a job which only looks at results writes at the most, besides these."""

FEW = 15
"""Lines that a gate writes at the most, where only what it is handed shows that it is one."""

FRAME = 4
"""Lines round a list of results: its headings, and what is concluded from it."""

_NO_WORDS = frozenset({"true", "false", "null"})
"""What `jq` prints of a condition."""

_LABEL = r"[`'\"“‘](?P<label>[^`'\"“”‘’]{2,60})[`'\"”’]"
_ASKS = (
    r"(?:needs?|requires?|required|add(?:ing|ed)?|missing|until|without|set|apply|not (?:found|set|present)|lacks?|ask)"
)
_ABOUT_CHANGE = regex(
    r"\bPRs?\b|\b(?:pull|merge) request|\bmaintainers?\b|\bcommitters?\b|\breviewers?\b"
    r"|\bjobs?\b|\bCI\b|\bworkflows?\b|\b(?:this|the) check\b|\btests\b",
    re.IGNORECASE,
)
_NAMED_LABEL = (
    regex(rf"\b{_ASKS}\b.*\blabels?:? {_LABEL}", re.IGNORECASE),
    regex(rf"\b{_ASKS}\b.*{_LABEL} labels?\b", re.IGNORECASE),
    regex(rf"\blabels?:? {_LABEL}.*\b{_ASKS}\b", re.IGNORECASE),
    regex(rf"{_LABEL} labels?\b.*\b{_ASKS}\b", re.IGNORECASE),
)
_PULL = r"\b(?:PRs?|(?i:pull|merge)[ -](?i:requests?))\b"
_CHANGE = regex(_PULL)
_SOME_LABEL = regex(
    r"\b(?:PR|pull request|merge request)\b"
    r".*\b(?:does not|doesn't|has no|have no|lacks|is missing|needs|must have|without)\b.*\blabels?\b"
    r"|\buntil (?:an?|the|one|at least one) .*\blabels? (?:is|was|has been|are) (?:added|set|applied)",
    re.IGNORECASE,
)
_LACKS = r"\b(?i:requires?|required|needs?|not enough|waiting for|awaiting|lacks|missing|without|set|have)\b"
_REVIEW = regex(
    rf"{_PULL}.*{_LACKS}.*\b(?i:approvals?|approving reviews?|milestones?)\b"
    rf"|{_LACKS}.*\b(?i:approvals?|approving reviews?|milestones?)\b.*(?:{_PULL}|\b(?i:code ?owners?)\b)"
    rf"|{_PULL} has changes requested\b"
)
"""Words on an approval or a milestone that a pull request still lacks."""

_READS_LABELS = regex(
    r"^##\[group\]Run [\w.-]+/[\w./-]*labels?\b[\w./-]*@"
    r"|\bpull_request\.labels\b|\.labels\.\*\.name\b|\blistLabelsOnIssue\b|--json labels\b"
    r"|\bPR_LABELS?\b|^\s*\w*LABELS\w*: \["
    r"|^\s*(?:REQUIRED_LABELS\w*|PULL_REQUEST_LABELS|required[_-]labels?|valid[_-]labels?): ",
)
"""A step that is handed the labels of the pull request, or an action that is named after them."""

_ON_LABEL = regex(
    r"\blabel(?:s|l?ed)?\b.*\b(?:needs?|required|must|missing|banned|none|not|no|without|until|blocking|present|failing"
    r"|prevents?)\b"
    r"|\b(?:needs?|requires?|required|must|missing|select|choose|pick|add|set|apply|assign|attach|lacks?|no|not|without"
    r"|at least|exactly|one of|prevents?|banned|block(?:ed|ing)|progress)\b.*\blabel(?:s|l?ed)?\b"
    r"|\blabell?ed (?:as|with)\b",
    re.IGNORECASE,
)
"""Words on a label that is missing, or in the way; believed of a step that reads those of the pull request."""

_PAUSE = regex(r"\bwait\b.*\bcool-?down\b|\bcool-?down\b.*\bwait\b", re.IGNORECASE)

_OTHER_JOB = regex(
    r"\b(?:upstream|required|needed|dependent|previous|preceding|parent|blocking)\b"
    r"(?: \w+){0,3} (?:jobs?|workflows?|stages?)\b"
    r".*\b(?:did not succeed|was not successful|not succeed|failed|cancell?ed|unsuccessful|=failure|: failure)"
    r"|\b(?:jobs?|workflows?|stages?) [\w./'`\"-]+ "
    r"(?:did not succeed|was not successful|ended with (?:failure|cancelled))",
    re.IGNORECASE,
)
_ON_JOBS = regex(
    r"\b(?:jobs?|workflows?|stages?|checks?|needs|dependenc(?:y|ies)|upstreams?)\b.*"
    r"\b(?:fail(?:ed|ing|ures?)|cancell?ed|did not|not|unsuccessful|errors?)\b"
    r"|\b(?:failing because|errors?|failures?|failed|not all|not every)\b"
    r".*\b(?:jobs?|workflows?|stages?|checks|dependencies)\b",
    re.IGNORECASE,
)
"""Words on jobs that did not succeed; believed of a step that was handed the results of others."""

_NAMES_A_PLACE = regex(r"[\w/\\.-]+\.[A-Za-z]\w{0,9}[:(]\d+")


def refusal(story: Story) -> Failure | None:
    """Say that a gate refused or that the job only reports on others; None when it worked, or says something else."""
    if story.view.failing_tests or story.view.tests.runners:
        return None
    told = told_in(story.view, story.ending.failing)
    if any(_NAMES_A_PLACE.search(look.line.text) for look in told[-SHORT:] if look.weight):
        return None
    return _gate(story, told) or _report(story, told)


def _gate(story: Story, told: Sequence[Look]) -> Failure | None:
    reads_labels = len(told) <= FEW and was_handed(story.view, story.ending.failing, _READS_LABELS)
    for line in _last_words(story, told):
        label = _label_in(line.text)
        if label is None and not _refuses(line.text, reads_labels=reads_labels):
            continue
        failure = story.failure(Fault.MISSING_LABEL, "A gate refused", [line], Basis.RULE)
        signature = signature_of_rule("gate", {"label": label}) if label else signature_of_line(line.text)
        return replace(failure, label=label, signature=signature)
    return None


def _refuses(text: str, *, reads_labels: bool) -> bool:
    """Whether a line asks for a label, a review or a pause, of a pull request or in a step that looks at its labels."""
    if _ON_LABEL.search(text) and (reads_labels or _CHANGE.search(text)):
        return True
    return any(words.search(text) for words in (_SOME_LABEL, _REVIEW, _PAUSE))


def _label_in(text: str) -> str | None:
    """The label that a line asks for, when it speaks of the pull request or its jobs."""
    found = next((match for pattern in _NAMED_LABEL if (match := pattern.search(text))), None)
    if found is None or not _ABOUT_CHANGE.search(text.replace(found["label"], "")):
        return None
    return found["label"]


def _report(story: Story, told: Sequence[Look]) -> Failure | None:
    section = story.ending.failing
    others = sum(1 for look in told if not RESULT.match(look.line.text))
    if others > SHORT or failed_before(story.view, section.last):
        return None
    broken = tuple(_broken(story, told))
    given = was_handed(story.view, section, HANDED) or (bool(broken) and _only_lists(told))
    statement = next((line for line in _last_words(story, told) if _states(line.text, given=given)), None)
    only_results = (
        bool(told)
        and was_handed(story.view, section, HANDED)
        and all(RESULT.match(look.line.text) or look.wraps or look.line.text in _NO_WORDS for look in told)
    )
    silent = not told and was_handed(story.view, section, HANDED_BY_NEEDS)
    if not (broken or given) or not (statement or only_results or silent):
        return None
    named = next((look.line for look in told if broken and look.line.text.find(broken[0]) >= 0), None)
    lines = [line for line in (statement, named or (told[-1].line if told else section.end)) if line]
    failure = story.failure(Fault.CASCADE, "Failed only because a job it reports on failed", lines, Basis.RULE)
    said = {"roots": ", ".join(broken)} if broken else {}
    return replace(failure, roots=broken, signature=signature_of_rule("report", said))


def _only_lists(told: Sequence[Look]) -> bool:
    """Whether results of several jobs are all that the step shows, with a heading and a statement at the most."""
    shown = sum(1 for look in told if RESULT.match(look.line.text))
    return shown > 1 and len(told) <= shown + FRAME


def _states(text: str, *, given: bool) -> bool:
    """Whether a line says that another job failed; of a step that was handed results, fewer words are enough."""
    return bool(_OTHER_JOB.search(text) or (given and _ON_JOBS.search(text)))


def _last_words(story: Story, told: Sequence[Look]) -> Iterator[LogLine]:
    """What the failing part says last, its error marks first."""
    last = [look.line for look in told[-LAST_WORDS:] if not look.wraps]
    end = story.ending.failing.end
    if end is not None and not any(look.wraps for look in look_at([end])):
        last.append(end)
    yield from (line for line in last if line.text.startswith("##[error]"))
    yield from (line for line in last if not line.text.startswith("##[error]"))


def _broken(story: Story, told: Sequence[Look]) -> Iterator[str]:
    """Names of the jobs whose results are shown and no success, failures before cancellations, each once."""
    section = story.ending.failing
    inputs = [line for line in story.view.between(section.first, section.last) if story.view.is_input(line.number)]
    shown = [match for look in told if (match := RESULT.match(look.line.text))]
    given = [match for line in inputs for match in RESULTS_IN_JSON.finditer(line.text)]
    worst_first = [
        match for result in ("failure", "cancelled") for match in shown or given if match["result"] == result
    ]
    yield from dict.fromkeys(match["name"] for match in worst_first if match["name"] != "result")
