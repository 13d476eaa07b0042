"""Each thing that must hold of a run just before it is run again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.builders import HEAD, NOW, a_job, a_pull, a_run
from triage.entry.command.rerun_checks import OBJECTIONS, Moment, objection_to

if TYPE_CHECKING:
    from triage.model import PullRequest, Run

BEGAN = NOW - timedelta(hours=2)
GOOD_RUN = replace(a_run(), event="pull_request", created_at=BEGAN, started_at=BEGAN, head_sha=HEAD)
GOOD_PULL = replace(a_pull(), head_sha=HEAD, state="open")


def a_moment(*, seen: Run = GOOD_RUN, run: Run = GOOD_RUN, pull: PullRequest = GOOD_PULL, ran: bool = True) -> Moment:
    job = replace(a_job(), runner="host-1" if ran else None, steps=())
    return Moment(seen=seen, run=run, jobs=(job,), pull=pull, asked_at=NOW, now=NOW)


BAD = {
    "_closed": a_moment(pull=replace(GOOD_PULL, state="closed")),
    "_moved_on": a_moment(pull=replace(GOOD_PULL, head_sha="e" * 40)),
    "_other_event": a_moment(run=replace(GOOD_RUN, event="workflow_dispatch")),
    "_running": a_moment(run=replace(GOOD_RUN, status="in_progress", conclusion=None)),
    "_changed": a_moment(run=replace(GOOD_RUN, attempt=2)),
    "_newer": a_moment(run=replace(GOOD_RUN, started_at=NOW)),
    "_never_ran": a_moment(ran=False),
    "_too_old": a_moment(run=replace(GOOD_RUN, created_at=NOW - timedelta(days=31))),
    "_too_often": a_moment(run=replace(GOOD_RUN, attempt=51), seen=replace(GOOD_RUN, attempt=51)),
}


def test_nothing_speaks_against_a_run_that_is_over_at_the_head_and_older_than_the_comment() -> None:
    assert objection_to(a_moment()) is None


@pytest.mark.parametrize("check", OBJECTIONS, ids=lambda check: check.__name__)
def test_each_check_objects_to_its_own_case_and_no_other_does(check: object) -> None:
    name = getattr(check, "__name__", "")
    said = [one.__name__ for one in OBJECTIONS if one(BAD[name]) is not None]

    assert said == [name]
    assert objection_to(BAD[name])


@pytest.mark.parametrize("field", ["created_at", "started_at"])
def test_a_run_without_a_time_is_not_run_again(field: str) -> None:
    without = {"created_at": replace(GOOD_RUN, created_at=None), "started_at": replace(GOOD_RUN, started_at=None)}

    assert objection_to(a_moment(run=without[field])) is not None


def test_a_run_that_began_in_the_very_second_of_the_comment_counts_as_newer() -> None:
    assert (
        objection_to(a_moment(run=replace(GOOD_RUN, created_at=NOW, started_at=NOW))) == "it began after your comment"
    )


def test_a_run_of_the_old_head_is_refused_even_if_the_pull_request_came_back_to_what_was_seen() -> None:
    assert objection_to(a_moment(seen=replace(GOOD_RUN, head_sha="c" * 40))) is not None
