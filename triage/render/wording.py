"""The sentences of the report, said once for every format."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Final

from triage.model import Category, Conclusion, Rerun, Verdict
from triage.render import ledger
from triage.render.commands import joined
from triage.render.failure_wording import gap_words
from triage.render.foreign_text import shown_line
from triage.render.words import Code, clause, closed, listed, literal, plural, prose, without_stop

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from triage.model import Action, Coverage, Report
    from triage.render.ledger import Row
    from triage.render.words import Words

CATEGORY: Final = {
    Category.INFRASTRUCTURE: "infrastructure",
    Category.MISSING_LABEL: "missing label",
    Category.GPU_RESIDUE: "GPU residue",
    Category.PRE_EXISTING: "pre-existing",
    Category.REGRESSION: "regression",
    Category.CASCADE: "cascade",
    Category.STARVED: "starved",
    Category.CANCELLED: "cancelled",
    Category.FLAKY: "flaky",
    Category.UNKNOWN: "unknown",
}
ENDED: Final = {
    Conclusion.FAILURE: "failed",
    Conclusion.CANCELLED: "cancelled",
    Conclusion.TIMED_OUT: "timed out",
    Conclusion.STARTUP_FAILURE: "could not start",
    Conclusion.STALE: "gone stale",
}
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# What only the author, or somebody for the author, can do; the rest is for whoever runs the machines.
_AUTHORS: Final = frozenset({"add-label", "approve", "rebase", "fix"})
_ALL: Final = {1: "It", 2: "Both"}
MOST_TO_DO: Final = 4
MOST_NAMES: Final = 12


# --------------------------------------------------------------------------------------------------------------------
# At the top


def headline(report: Report) -> Words:
    """Return the answer in one line, without a full stop."""
    return without_stop(prose(report.headline)) or (_HEADLINES[report.verdict],)


_HEADLINES: Final = {
    Verdict.NO_FAILURES: "no failed jobs",
    Verdict.NOT_CAUSED_BY_PR: "nothing points at this change",
    Verdict.CAUSED_BY_PR: "this change breaks something",
    Verdict.NEEDS_ATTENTION: "please look",
    Verdict.INCOMPLETE: "not all is known yet",
}


def summary(report: Report) -> Words:
    """Say in a line or two what stands behind the headline: how the jobs ended, and how many of them prove nothing."""
    if not report.jobs:
        return _no_red_job(report)
    said = (_how_they_ended(report), _no_signal(report))
    return (" ".join(part for part in said if part),)


def _how_they_ended(report: Report) -> str:
    """Return how the red jobs ended, `17 failed, 4 cancelled.`; empty when all of them failed."""
    counted = ledger.conclusions(report)
    if set(counted) <= {Conclusion.FAILURE}:
        return ""
    return ", ".join(f"{number:,} {ended(conclusion)}" for conclusion, number in counted.items()) + "."


def ended(conclusion: Conclusion | None) -> str:
    """Return how a job ended, in a word or two."""
    return ENDED.get(conclusion, "ended unclearly") if conclusion else "ended unclearly"


def _no_signal(report: Report) -> str:
    """Say how many of the red jobs prove nothing, because no test of theirs is known to have run."""
    (silent, is_known), total = ledger.silent_jobs(report), len(report.jobs)
    if not silent:
        return ""
    who = _ALL.get(total, f"All {total:,} red jobs") if silent == total else f"{silent:,} of the {total:,} red jobs"
    say = "says" if silent == 1 else "say"
    about = "about the change " if report.pull else ""
    return f"{who} {_ran_none(silent, is_known=is_known)} and {say} nothing {about}either way."


def _ran_none(jobs: int, *, is_known: bool) -> str:
    """Say what silent jobs lack; only where every log was read is it known that no test ran."""
    return "ran no test" if is_known else f"{'shows' if jobs == 1 else 'show'} no test that ran"


def _no_red_job(report: Report) -> Words:
    """Say what a report without a red job stands on; only the verdict may call that green."""
    unfinished, runs = len(ledger.running(report)), plural(len(report.runs), "workflow run")
    if not report.runs:
        return ("No workflow run was found, so nothing is known.",)
    if report.verdict is Verdict.NO_FAILURES:
        names = [literal(run.workflow or str(run.id)) for run in report.runs]
        return ("Complete: ", *listed(names, most=MOST_NAMES), ".")
    if unfinished:
        return (f"No failed job so far; {len(report.runs) - unfinished} of {runs} finished.",)
    return ("No failed job was found, but what could not be seen may hide one.",)


def still_running(report: Report, *, most: int) -> Words:
    """Say which runs can still change the answer."""
    names = [literal(run.workflow or str(run.id)) for run in ledger.running(report)]
    if not names:
        return ()
    if len(report.runs) == 1:
        return (names[0], "; the answer can change.")
    head = f"{len(names)} of {plural(len(report.runs), 'workflow run')} ("
    return (head, *listed(names, most=most), "); the answer can change.")


def to_do(rows: Sequence[Row]) -> tuple[Words, ...]:
    """Return what the author is asked to do, most urgent first; nothing when nobody is asked anything."""
    asked: list[Words] = []
    unknown = [str(row.cause.id) for row in rows if row.cause.category is Category.UNKNOWN]
    if unknown and len(rows) == 1:
        asked.append(("please look; nothing shows whose failure it is",))
    elif unknown:
        noun, whose = ("cause", "failure it is") if len(unknown) == 1 else ("causes", "failures they are")
        asked.append((f"look at {noun} ", *listed(unknown, most=MOST_NAMES), f", since nothing shows whose {whose}"))
    blamed = [row for row in rows if row.cause.category is Category.REGRESSION]
    others = [row for row in rows if row.cause.category is not Category.REGRESSION]
    fixes, requests = ([words for row in part for words in _requests(row)] for part in (blamed, others))
    return tuple(dict.fromkeys((*fixes, *asked, *requests)))


def _requests(row: Row) -> tuple[Words, ...]:
    """Return what one cause asks of the author.

    A regression and a closed gate always ask something, even where no next step could be worked out.
    """
    cause = row.cause
    is_gate = cause.category is Category.MISSING_LABEL
    requests = tuple(_request(action) for action in cause.actions if is_gate or action.kind in _AUTHORS)
    if requests or not (is_gate or cause.category is Category.REGRESSION):
        return requests
    return (clause(prose(cause.advice)) or (f"see to cause {cause.id}",),)


def to_do_line(report: Report, rows: Sequence[Row]) -> Words:
    """Say in one line what the author is asked to do; or that it is nothing, where that is known."""
    asked = to_do(rows)
    if not asked:
        return ("nothing for the author.",) if report.verdict is Verdict.NOT_CAUSED_BY_PR else ()
    words: Words = ()
    for index, request in enumerate(asked[:MOST_TO_DO]):
        words = (*words, *(("; ",) if index else ()), *request)
    rest = len(asked) - MOST_TO_DO
    return closed((*words, f"; and {rest} more below") if rest > 0 else words)


def _request(action: Action) -> Words:
    words = clause(prose(action.text))
    said = {part.text for part in words if isinstance(part, Code)}
    to_copy = command(action)
    return (*words, " (", Code(to_copy), ")") if to_copy and to_copy not in said else words


def command(action: Action) -> str:
    """Return the command of an action as one line to copy; empty when it has none."""
    return shown_line(action.command or "").strip()


def rerun_line(rows: tuple[Row, ...]) -> Words:
    """Say for which causes a re-run can help."""
    by_answer = ledger.reruns(rows)
    helps, pointless, unclear = (by_answer[answer] for answer in (Rerun.HELPS, Rerun.POINTLESS, Rerun.UNKNOWN))
    said: list[str] = []
    if len(rows) == 1 and not pointless:
        return ("helps." if helps else "may or may not help.",)
    if helps:
        said.append(f"helps {_causes(helps)}{' only' if pointless and not unclear else ''}")
    if unclear:
        said.append(f"may or may not help {_causes(unclear)}")
    if pointless and not said:
        said.append("pointless as things are")
    return ("; ".join(said), ".")


def rerun_command(rows: tuple[Row, ...]) -> str:
    """Return the one command that re-runs all that a re-run can help; empty when there is no such."""
    helped = sorted((row.cause for row in rows if row.cause.rerun is Rerun.HELPS), key=lambda cause: cause.id)
    commands = [command(action) for cause in helped for action in cause.actions if action.kind == "rerun"]
    return joined(commands) if len(commands) == len(helped) and all(commands) else ""


def _causes(numbers: tuple[int, ...]) -> str:
    names = "".join(str(part) for part in listed([str(number) for number in numbers], most=MOST_NAMES))
    return f"{'cause' if len(numbers) == 1 else 'causes'} {names}"


def never_covered(report: Report, *, most: int) -> Words:
    """Say which jobs cover the change and tested nothing: the most important thing that a green tick would hide."""
    files = ledger.uncovered(report)
    jobs = [literal(job) for job in dict.fromkeys(job for item in files for job in item.jobs)]
    if not jobs:
        return ()
    verb = "covers" if len(jobs) == 1 else "cover"
    return (*listed(jobs, most=most), f" {verb} {plural(len(files), 'changed file')} and gave no test result.")


# --------------------------------------------------------------------------------------------------------------------
# At the foot


def silence_title(report: Report) -> str:
    """Name the part about what gave no signal."""
    jobs = len(report.not_exercised)
    if not jobs:
        return "What covers the change"
    return f"Not exercised: {plural(jobs, 'job')} {_ran_none(jobs, is_known=ledger.ran_none(report))}"


def silence(report: Report, *, most: int) -> tuple[Words, ...]:
    """Return which jobs gave no signal, by reason."""
    names = ledger.job_names(report)
    grouped = ledger.silent_by_reason(report)
    return tuple(
        (
            *listed([literal(names.get(item.job) or item.name or f"job {item.job}") for item in items], most=most),
            ": ",
            *without_stop(prose(why)),
            ".",
        )
        for why, items in grouped.items()
    )


def coverage(report: Report, *, most: int) -> tuple[Words, ...]:
    """Return which jobs exercise which changed files, the untested files first."""
    items = sorted(report.coverage, key=lambda item: item.exercised)
    return tuple(_covered(item, most=most) for item in items)


def _covered(item: Coverage, *, most: int) -> Words:
    path = literal(item.path)
    if not item.jobs:
        return (path, ": no job is known to cover it.")
    known: Words = (" (", *without_stop(prose(item.known_by, limit=60)), ")") if item.known_by else ()
    end = "." if item.exercised else ", which gave no test result."
    return (path, ": covered by ", *listed([literal(job) for job in item.jobs], most=most), *known, end)


def unseen_line(report: Report, *, place: str) -> Words:
    """Say how much could not be seen, after what is so grave that triage itself may be at fault."""
    if not report.gaps:
        return ()
    loud = next((gap for gap in report.gaps if gap.is_loud), None)
    if loud is None:
        return (f"{plural(len(report.gaps), 'thing')}, listed at the {place}.",)
    rest = len(report.gaps) - 1
    return (*gap_words(loud), *((f" {plural(rest, 'more thing')}, listed at the {place}.",) if rest else ()))


def commit_of(report: Report) -> str:
    """Return the short commit that was tested; empty when nothing was."""
    sha = report.pull.head_sha if report.pull else next((run.head_sha for run in report.runs), "")
    return shown_line(sha)[:7]


def foot(report: Report) -> tuple[Words, ...]:
    """Return what the report stands on: commit, attempts, runs, rules, and until when GitHub was read."""
    attempts = sorted({run.attempt for run in report.runs})
    parts: list[Words] = []
    if commit := commit_of(report):
        parts.append(("commit ", Code(commit)))
    if report.pull and report.pull.behind_by:
        parts.append((f"{plural(report.pull.behind_by, 'commit')} behind ", literal(report.pull.base_ref or "base")))
    if attempts:
        spread = f"attempt {attempts[0]}" if len(attempts) == 1 else f"attempts {attempts[0]} to {attempts[-1]}"
        parts.append((spread,))
    parts.append((plural(len(report.runs), "workflow run"),))
    if report.rules_sha:
        parts.append(("rules ", Code(shown_line(report.rules_sha)[:7])))
    if report.settings_sha:
        parts.append(("settings ", Code(shown_line(report.settings_sha)[:7])))
    if report.as_of:
        parts.append((moment(report.as_of),))
    return tuple(parts)


def moment(when: datetime) -> str:
    """Return a time of GitHub's, in UTC, the same in every locale: `18 Sep 2026 08:31 UTC`."""
    when = when.astimezone(UTC)
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year} {when:%H:%M} UTC"
