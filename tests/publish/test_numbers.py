"""Which causes the numbers in a comment mean, in its last line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.render import samples
from triage.model import Action, Rerun
from triage.publish import CommentSettings, OnWorse
from triage.publish.draft import draft_of
from triage.publish.numbers import mark_of, numbers_line, read_numbers
from triage.render.ledger import rows_of
from triage.render.markdown import COMMENT_LIMIT


def test_the_last_line_says_what_the_numbers_mean() -> None:
    report = samples.case_a()
    assert report.pull is not None
    report = replace(report, pull=replace(report.pull, author="contributor-z"))
    draft = draft_of(report, CommentSettings(on_worse=OnWorse.MENTION))
    assert draft is not None
    assert draft.alarm is not None

    wanted = {row.cause.id: mark_of(row) for row in rows_of(report)}

    assert len(wanted) == len(set(wanted.values()))
    assert read_numbers(draft.body) == read_numbers(draft.alarm) == wanted
    assert read_numbers(draft.body.replace("\n", "\r\n")) == wanted


def test_a_cause_keeps_its_mark_in_another_attempt_and_by_another_name() -> None:
    report = samples.case_b()
    (row,) = rows_of(report)
    (verdict,) = row.roots
    job = replace(verdict.failure.job, id=verdict.failure.job.id, run_attempt=2)
    again = replace(row, roots=(replace(verdict, failure=replace(verdict.failure, job=job)),))
    other = replace(row, roots=(replace(verdict, failure=replace(verdict.failure, job=replace(job, name="other"))),))

    assert mark_of(replace(again, cause=replace(row.cause, title="another title", id=7))) == mark_of(row)
    assert mark_of(other) != mark_of(row)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "text",
        "<!-- ci-causes 1-00000000 -->\nand more",
        "```\n<!-- ci-causes 1-00000000 -->\n```\n",
        "> <!-- ci-causes 1-00000000 -->",
        "<!-- ci-causes 1-xyz -->",
    ],
)
def test_a_line_elsewhere_or_otherwise_says_nothing(body: str) -> None:
    assert read_numbers(body) == {}


def test_without_a_cause_there_is_no_such_line() -> None:
    draft = draft_of(samples.all_green(), CommentSettings())

    assert draft is not None
    assert "causes" not in draft.body.rpartition("\n\n")[2]
    assert numbers_line(samples.all_green()) == ""


def test_the_line_takes_no_more_than_its_share_of_a_comment() -> None:
    report = samples.case_a()
    cause, job = report.causes[0], report.jobs[0]
    causes = tuple(replace(cause, id=number) for number in range(1, 201))
    jobs = tuple(replace(job, cause=number) for number in range(1, 201))
    draft = draft_of(replace(report, causes=causes, jobs=jobs), CommentSettings())
    assert draft is not None

    assert len(read_numbers(draft.body)) == 60
    assert len(draft.body.encode()) <= COMMENT_LIMIT


def test_a_re_run_is_told_as_a_comment_where_commands_are_answered_and_else_as_a_line_for_a_terminal() -> None:
    report = samples.case_a()
    again = (Action(kind="rerun", text="Re-run it", command="gh run rerun --job 1"),)
    helped = (replace(cause, actions=again) if cause.rerun is Rerun.HELPS else cause for cause in report.causes)
    report = replace(report, causes=tuple(helped))
    here = draft_of(report, CommentSettings())
    elsewhere = draft_of(report, CommentSettings(commands=False))
    assert here is not None
    assert elsewhere is not None

    assert "gh run rerun" not in here.body
    assert "`/triage rerun 3 4`" in here.body
    assert "gh run rerun --job 1" in elsewhere.body
    assert "`/triage" not in elsewhere.body
    assert read_numbers(here.body) == read_numbers(elsewhere.body)
