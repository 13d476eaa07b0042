"""One comment, and the newest, however many write at once: R1 to R4 of the promises."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Self

import pytest

from tests.publish.simulation import BOT, Clock, SimulatedWrites, World
from triage.model import Verdict
from triage.publish.comment import Pace, publish_comment
from triage.publish.marker import Generation, Marker, read_marker
from triage.publish.outcome import Superseded, Unchanged
from triage.publish.sticky import Draft

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from triage.publish.outcome import Outcome

# `make reliability` tells a thousand stories.
TRIALS, WRITERS = 1_000 if os.environ.get("TRIAGE_THOROUGH") else 60, 8
# Stories that once ended badly: a deletion whose answer was lost, a text that another writer moved.
ONCE_WRONG = (216, 394, 984)
HEAD, NEXT_HEAD = "a" * 40, "b" * 40


def a_draft(generation: int, *, head: str = HEAD, text: str = "") -> Draft:
    marker = Marker(
        key="default", head=head[:12], generation=Generation(generation, 1, 1, 0), verdict=Verdict.NEEDS_ATTENTION
    )
    body = f"{marker}\n\n### report {generation} of {head[:1]}{text}\n"
    return Draft(number=7, head_sha=head, marker=marker, body=body)


class Story:
    """Writers that begin at random times within a few seconds, each with its own report."""

    def __init__(self, seed: int, *, lag: float = 3.0, lost: float = 0.3, identity: int | None = BOT) -> None:
        self.random = random.Random(seed)
        self.clock = Clock()
        self.world = World(self.clock, self.random, lag=lag, lost=lost, head_sha=HEAD)
        self.identity = identity
        self.outcomes: dict[int, Outcome] = {}
        self.written = 0

    def write_all(self, drafts: Sequence[Draft], *, within: float = 6.0, crash: bool = False) -> Self:
        """Let a writer publish each draft, in an order that has nothing to do with which is newer."""
        order = self.random.sample(range(len(drafts)), len(drafts))
        self.clock.run([self._writer(place, drafts[place], 0.0, within, crash=crash) for place in order])
        return self

    def write_around_a_push(self, before: Sequence[Draft], after: Sequence[Draft]) -> Self:
        """Let writers publish what they read before a push and what they read after it, all within some seconds."""

        def push() -> None:
            self.clock.wait(2.0)
            self.world.push(NEXT_HEAD)

        early = [self._writer(place, draft, 0.0, 6.0) for place, draft in enumerate(before)]
        late = [self._writer(place, draft, 2.1, 6.0) for place, draft in enumerate(after, len(before))]
        self.clock.run([*early, push, *late])
        return self

    def wait(self, seconds: float) -> Self:
        """Let time pass in which nobody writes."""
        self.clock.run([lambda: self.clock.wait(seconds)])
        return self

    def told(self) -> list[str]:
        """Return what the comments of ours say, one line each."""
        return [one.body.splitlines()[2] for one in self.world.comments.values() if read_marker(one.body)]

    def _writer(
        self, place: int, draft: Draft, earliest: float, latest: float, *, crash: bool = False
    ) -> Callable[[], None]:
        begins = self.random.uniform(earliest, latest)
        crash_at = self.random.randrange(14) if crash else None

        def run() -> None:
            self.clock.wait(begins)
            writes = SimulatedWrites(self.world, crash_at=crash_at, identity=self.identity)
            try:
                self.outcomes[place] = publish_comment(draft, writes, sleep=self.clock.wait)
            finally:
                self.written += writes.written

        return run


def eight(*, head: str = HEAD) -> list[Draft]:
    return [a_draft(generation, head=head) for generation in range(WRITERS)]


NEWEST = [f"### report {WRITERS - 1} of a"]


@pytest.mark.parametrize("lag", [0.0, 0.2, 3.0])
def test_of_eight_writers_at_once_only_the_newest_report_is_left(lag: float) -> None:
    seeds = (*range(TRIALS), *ONCE_WRONG)

    wrong = {seed: told for seed in seeds if (told := Story(seed, lag=lag).write_all(eight()).told()) != NEWEST}

    assert wrong == {}


def test_writers_that_die_at_any_step_leave_what_the_next_run_puts_right() -> None:
    stories = [Story(seed).write_all(eight(), crash=True).wait(10) for seed in range(TRIALS)]
    survivors = [len(story.outcomes) for story in stories]

    healed = [story.write_all(eight()[-1:]).told() for story in stories]

    assert healed == [NEWEST] * TRIALS
    assert 0 < sum(survivors) < TRIALS * WRITERS  # some died, some did not


@pytest.mark.parametrize("crash_at", range(8))
def test_a_writer_that_dies_after_posting_has_its_comment_adopted(crash_at: int) -> None:
    story = Story(crash_at, lost=0.0)
    story.clock.run([lambda: _die(story, crash_at)])

    story.wait(10).write_all([a_draft(5)])

    assert story.told() == ["### report 5 of a"]


def _die(story: Story, crash_at: int) -> None:
    publish_comment(a_draft(4), SimulatedWrites(story.world, crash_at=crash_at), sleep=story.clock.wait)


def test_the_same_report_delivered_three_times_at_once_is_one_comment() -> None:
    stories = [Story(seed).write_all([a_draft(3)] * 3, within=1.0) for seed in range(TRIALS)]

    assert [story.told() for story in stories] == [["### report 3 of a"]] * TRIALS


def test_a_report_that_is_delivered_again_later_writes_nothing() -> None:
    first = [Story(seed).write_all([a_draft(3)]).wait(10) for seed in range(TRIALS)]
    # In very few everything that one writer sends is lost: then the next delivery is the first.
    stories = [story for story in first if story.written]
    written = [story.written for story in stories]

    again = [story.write_all([a_draft(3)] * 2) for story in stories]

    assert len(stories) >= TRIALS * 99 // 100
    assert [story.written for story in again] == written
    assert {type(outcome) for story in again for outcome in story.outcomes.values()} == {Unchanged}


def test_an_older_report_that_comes_late_leaves_the_newer_one() -> None:
    story = Story(1, lost=0.0).write_all([a_draft(6)]).wait(10)

    story.write_all([a_draft(2)])

    assert story.told() == ["### report 6 of a"]
    assert isinstance(story.outcomes[0], Superseded)


def test_reports_of_the_commit_before_lose_to_those_of_the_pull_requests_head() -> None:
    """Times do not tell: runs on the old commit may end long after those on the new one."""
    before = [a_draft(100 + number) for number in range(WRITERS // 2)]
    after = [a_draft(number, head=NEXT_HEAD) for number in range(WRITERS // 2)]

    told = [Story(seed).write_around_a_push(before, after).told() for seed in range(TRIALS)]

    assert told == [["### report 3 of b"]] * TRIALS


def test_a_branch_that_is_pushed_back_shows_the_report_of_that_commit_again() -> None:
    story = Story(1, lost=0.0).write_all([a_draft(1)]).wait(10)
    story.world.push(NEXT_HEAD)
    story.wait(10).write_all([a_draft(9, head=NEXT_HEAD)]).wait(10)
    story.world.push(HEAD)

    story.wait(10).write_all([a_draft(1)])

    assert story.told() == ["### report 1 of a"]


def test_a_token_that_cannot_say_whose_it_is_still_keeps_one_comment() -> None:
    story = Story(1, lost=0.0, identity=None).write_all([a_draft(1)]).wait(10)

    story.write_all([a_draft(2)])

    assert story.told() == ["### report 2 of a"]


def test_without_a_second_look_the_test_above_would_fail() -> None:
    """The world is bad enough: who looks only once leaves duplicates and older reports."""
    stories = []
    for seed in range(TRIALS):
        story = Story(seed)
        story.clock.run([_hasty(story, draft) for draft in eight()])
        stories.append(story.told())

    assert sum(told != NEWEST for told in stories) > TRIALS // 10


def _hasty(story: Story, draft: Draft) -> Callable[[], None]:
    begins = story.random.uniform(0, 6)

    def run() -> None:
        story.clock.wait(begins)
        publish_comment(draft, SimulatedWrites(story.world), pace=Pace(looks=0), sleep=story.clock.wait)

    return run
