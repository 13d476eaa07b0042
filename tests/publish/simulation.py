"""A GitHub with many writers at once, in a time of its own: slow, forgetful, its lists behind its writes.

Each writer is a thread, but only one ever runs: whoever waits hands over to whoever is due next. So the same seed gives
the same story, and an hour takes no time.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from triage.errors import ProviderError
from triage.source.writes import CheckRun, Comment, PullNow

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from triage.source.protocol import JSON

EPOCH = datetime(2026, 9, 18, 9, tzinfo=UTC)
BOT = 41898282


class Crash(BaseException):
    """The runner dies: nothing in the product may catch it."""


class Clock:
    """Time that passes only while everybody waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, threading.Semaphore]] = []
        self._order = itertools.count()
        self._back = threading.Semaphore(0)

    def wait(self, seconds: float) -> None:
        """Let others run until so many seconds have passed."""
        mine = threading.Semaphore(0)
        heapq.heappush(self._due, (self.now + seconds, next(self._order), mine))
        self._back.release()
        mine.acquire()

    def run(self, jobs: list[Callable[[], None]]) -> None:
        """Run all jobs at once, from now on, until the last is done."""
        threads = []
        for job in jobs:
            start = threading.Semaphore(0)
            heapq.heappush(self._due, (self.now, next(self._order), start))
            threads.append(threading.Thread(target=self._body, args=(start, job), daemon=True))
        for thread in threads:
            thread.start()
        while self._due:
            self.now, _, turn = heapq.heappop(self._due)
            turn.release()
            self._back.acquire()
        for thread in threads:
            thread.join()

    def _body(self, start: threading.Semaphore, job: Callable[[], None]) -> None:
        start.acquire()
        try:
            job()
        except Crash:
            pass
        finally:
            self._back.release()


@dataclass(slots=True)
class World:
    """One pull request with its comments, and all they ever were."""

    clock: Clock
    random: random.Random
    lag: float = 3.0
    lost: float = 0.3
    head_sha: str = "a" * 40
    comments: dict[int, Comment] = field(default_factory=dict)
    past: list[tuple[float, dict[int, Comment], str]] = field(default_factory=list)
    ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.remember()

    def remember(self) -> None:
        """Keep how things stand from now on, for reads that are behind."""
        self.past.append((self.clock.now, dict(self.comments), self.head_sha))

    def seen(self) -> tuple[dict[int, Comment], str]:
        """Return how things stood up to `lag` seconds ago."""
        then = self.clock.now - self.random.uniform(0, self.lag)
        return next(((seen, head) for at, seen, head in reversed(self.past) if at <= then), self.past[0][1:])

    def push(self, head_sha: str) -> None:
        """Let the pull request move on."""
        self.head_sha = head_sha
        self.remember()

    def put(self, comment_id: int, body: str, *, author: int = BOT) -> Comment:
        """Store a comment, new or not."""
        at = EPOCH + timedelta(seconds=self.clock.now)
        stored = Comment(id=comment_id, author_id=author, body=body, url=f"comment/{comment_id}", updated_at=at)
        self.comments[comment_id] = stored
        self.remember()
        return stored

    def remove(self, comment_id: int) -> None:
        """Delete a comment."""
        del self.comments[comment_id]
        self.remember()


@dataclass(slots=True)
class SimulatedWrites:
    """`Writes` of one writer in a `World`.

    Attributes:
        crash_at: Which request of this writer is its last: it dies just before (0, 2, …) or just after it is done.
    """

    world: World
    crash_at: int | None = None
    identity: int | None = BOT
    steps: int = 0
    written: int = 0

    @property
    def repository(self) -> str:
        return "acme/engine"

    def own_id(self) -> int | None:
        return self.identity

    def pull(self, number: int) -> PullNow:
        self._travel()
        return PullNow(head_sha=self.world.seen()[1])

    def comments(self, number: int) -> tuple[Comment, ...]:
        self._travel()
        return tuple(self.world.seen()[0].values())

    def create_comment(self, number: int, body: str) -> Comment:
        return self._write(lambda: self.world.put(next(self.world.ids), body, author=self.identity or BOT))

    def edit_comment(self, comment_id: int, body: str) -> Comment:
        return self._write(lambda: self._existing(comment_id, lambda old: self.world.put(old.id, body)))

    def delete_comment(self, comment_id: int) -> None:
        self._write(lambda: self._existing(comment_id, self._removed))

    def check_runs(self, head_sha: str, name: str) -> tuple[CheckRun, ...]:
        raise AssertionError("only comments are simulated; nobody may ask for a check run")

    def create_check_run(self, check: JSON) -> CheckRun:
        raise AssertionError("only comments are simulated; nobody may ask for a check run")

    def update_check_run(self, check_run_id: int, check: JSON) -> CheckRun:
        raise AssertionError("only comments are simulated; nobody may ask for a check run")

    def _removed(self, old: Comment) -> Comment:
        self.world.remove(old.id)
        return old

    def _existing(self, comment_id: int, act: Callable[[Comment], Comment]) -> Comment:
        old = self.world.comments.get(comment_id)
        if old is None:
            raise ProviderError("GitHub has not found the comment (404)", status=404)
        return act(replace(old))

    def _write(self, act: Callable[[], Comment]) -> Comment:
        self._travel()
        is_lost = self.world.random.random() < self.world.lost
        if is_lost and self.world.random.random() < 0.5:
            raise ProviderError("GitHub did not answer in time")
        self.written += 1
        answer = act()
        self._step()
        self._travel()
        if is_lost:
            raise ProviderError("GitHub failed (502)", status=502)
        return answer

    def _travel(self) -> None:
        """Spend the time of half a request, and perhaps die."""
        self._step()
        self.world.clock.wait(self.world.random.uniform(0.02, 0.45))

    def _step(self) -> None:
        self.steps += 1
        if self.crash_at is not None and self.steps > self.crash_at:
            raise Crash
