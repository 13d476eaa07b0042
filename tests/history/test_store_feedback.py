"""What people said of verdicts is kept, once, for as long as the history lasts."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tests.builders import HEAD, NOW, REPOSITORY, RUN
from tests.history.stories import ANOTHER
from triage.history.feedback import Feedback, Says
from triage.model import Category, JobId

if TYPE_CHECKING:
    from triage.history.store import Store

OLD = NOW - timedelta(days=400)


def some_feedback(*, comment: int = 1, right: Category | None = Category.FLAKY, reason: str = "") -> Feedback:
    return Feedback(
        comment_id=comment,
        at=NOW + timedelta(minutes=comment),
        by="contributor-a",
        says=Says.WRONG,
        pull_number=7,
        head_sha=HEAD,
        run_id=RUN,
        job_id=JobId(41),
        job_name="unit (3.11)",
        category=Category.UNKNOWN,
        right=right,
        reason=reason,
    )


def test_feedback_comes_back_as_it_was_said_newest_first(store: Store) -> None:
    said = [some_feedback(comment=1), some_feedback(comment=2, right=None, reason="it is the host\N{NO-BREAK SPACE}é")]
    for one in said:
        store.add_feedback(REPOSITORY, one)

    assert store.feedback(REPOSITORY, since=OLD) == tuple(reversed(said))


def test_the_same_comment_says_it_once(store: Store) -> None:
    for _ in range(2):
        store.add_feedback(REPOSITORY, some_feedback())

    assert len(store.feedback(REPOSITORY, since=OLD)) == 1


def test_feedback_of_another_repository_or_an_earlier_time_is_not_given(store: Store) -> None:
    store.add_feedback(REPOSITORY, some_feedback())

    assert store.feedback(ANOTHER, since=OLD) == ()
    assert store.feedback(REPOSITORY, since=NOW + timedelta(days=1)) == ()


def test_secrets_in_a_reason_are_masked(store: Store) -> None:
    store.add_feedback(REPOSITORY, some_feedback(reason=f"see ghp_{'a1B2' * 9}"))

    (kept,) = store.feedback(REPOSITORY, since=OLD)
    assert "ghp_a1B2" not in kept.reason


def test_pruning_old_runs_leaves_what_people_said(store: Store) -> None:
    store.add_feedback(REPOSITORY, some_feedback())
    store.prune(NOW + timedelta(days=365))

    assert len(store.feedback(REPOSITORY, since=OLD)) == 1
