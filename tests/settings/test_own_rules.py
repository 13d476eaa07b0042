"""The repository's own settings and rules are those of its default branch at one commit, and cost one request more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.gather.reads import HEAD, REPOSITORY, FakeReads, a_pull, a_run
from triage.entry.own_rules import newest_own_rules, recorded_own_rules
from triage.errors import ProviderError
from triage.gather.scope import scope_of
from triage.rules import builtin_rules
from triage.settings import BUILT_IN, PLACE
from triage.source.passing import Once
from triage.source.request import PullRequestRequest, RunRequest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tests.gather.reads import JSON
    from triage.entry.own_rules import OwnRules
    from triage.source.request import Request

TIP, NEWEST = "a" * 40, "b" * 40
PULL = PullRequestRequest(5)
GATES = "version: 1\njobs: {gates: [may-run]}\n"


class Branch(FakeReads):
    """Reads that know a branch's newest commit."""

    def commits(self, ref: str, *, since: datetime | None = None, path: str | None = None) -> Sequence[JSON]:
        answer: Sequence[JSON] = self._give("commits", ref, [{"sha": NEWEST}])
        return answer


def a_branch(settings: object = "", **pull: Any) -> Branch:
    """A pull request whose comparison names what the base branch is at; without settings, it has none."""
    return Branch(
        pulls={5: a_pull(**pull)},
        runs={7: a_run()},
        workflow_files={PLACE: settings},
        comparison={"base_commit": {"sha": TIP}, "merge_base_commit": {"sha": "0ld"}, "behind_by": 3},
    )


def own(reads: Branch, request: Request = PULL) -> OwnRules:
    once = Once(reads)
    return newest_own_rules(once, scope_of(once, request))


def test_they_are_read_at_the_commit_that_the_comparison_names_in_one_request_more() -> None:
    reads = a_branch(GATES)
    found = own(reads)

    assert (found.settings.gates, found.settings.sha, found.gaps) == (("may-run",), TIP, ())
    assert reads.asked == [("pull", 5), ("runs_at", HEAD), ("compare", ("main", HEAD)), ("file", (PLACE, TIP))]


@pytest.mark.parametrize(
    "pull",
    [
        {"state": "closed"},  # its comparison is with where the base was, not with where it is
        {"base": {"sha": "ba5e", "ref": "release", "repo": REPOSITORY}},
    ],
    ids=["closed", "into another branch"],
)
def test_where_no_comparison_names_it_the_commit_is_asked_for(pull: JSON) -> None:
    reads = a_branch(GATES, **pull)

    assert own(reads).settings.sha == NEWEST
    assert reads.asked_for("commits") == ["main"]
    assert reads.asked_for("file") == [(PLACE, NEWEST)]


def test_a_run_of_a_branch_is_judged_by_the_default_branch_too() -> None:
    reads = a_branch(GATES)
    reads.runs = {7: a_run(event="push", head_repository=REPOSITORY)}

    assert own(reads, RunRequest(7)).settings.sha == NEWEST


def test_a_repository_without_settings_is_judged_by_the_built_in_ones_without_a_word() -> None:
    found = own(a_branch())

    assert (found.settings, found.rules.sha, found.gaps, found.problems) == (BUILT_IN, builtin_rules().sha, (), ())


def test_wrong_settings_do_not_hold_and_are_a_gap() -> None:
    found = own(a_branch("version: 1\nwhat: 1\njobs: {gates: []}\n"))

    assert (found.settings.gates, found.is_broken, len(found.problems)) == ((), True, 2)
    assert [(gap.what, gap.why.endswith("and 1 more mistake; the built-in settings hold")) for gap in found.gaps] == [
        ("`.github/triage.yml:2:1`", True)
    ]


def test_settings_that_cannot_be_read_are_a_gap() -> None:
    found = own(a_branch(ProviderError("GitHub did not answer", status=502)))

    assert (found.settings, found.is_broken) == (BUILT_IN, True)
    assert [gap.why for gap in found.gaps] == ["GitHub did not answer; the built-in settings hold"]


def test_a_default_branch_without_a_commit_is_a_gap() -> None:
    reads = a_branch(state="closed")
    reads.commits = lambda *_, **__: ()  # type: ignore[method-assign]  # nothing was ever pushed

    assert [gap.what for gap in own(reads).gaps] == [PLACE]


def test_a_recording_that_was_made_without_settings_is_read_without_a_word() -> None:
    reads = a_branch(ProviderError("the recording holds no such file", status=404))
    found = recorded_own_rules(reads, scope_of(reads, PULL))

    assert (found.settings, found.gaps, found.is_broken) == (BUILT_IN, (), False)


def test_a_recording_of_settings_that_cannot_be_read_says_so() -> None:
    reads = a_branch(ProviderError("not UTF-8 text"))

    assert recorded_own_rules(reads, scope_of(reads, PULL)).gaps[0].what == PLACE


def test_what_could_not_be_told_is_asked_for_again() -> None:
    reads = a_branch()
    once = Once(reads)
    with pytest.raises(ProviderError):
        once.run(8)
    reads.runs[8] = a_run(8)

    assert once.run(8) == once.run(8)
    assert reads.asked_for("run") == [8, 8]
