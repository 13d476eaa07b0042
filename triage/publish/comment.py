"""Keeps one comment on a pull request, however many of us write at once and whatever GitHub loses of it.

GitHub offers no compare-and-swap, its lists may lag behind its writes, and an answer that is lost says nothing about
what was stored. So every writer does the same: read all comments, decide (`sticky`), read the pull request's head
again, write once, and look again when the slowest list must show what all others did meanwhile. What goes wrong even so
(a crash between two steps) the next run puts right. Reasons and measurements: docs/decisions/0010-one-comment.md.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from triage.errors import ProviderError, RateLimited
from triage.publish.outcome import (
    Failed,
    NotAllowed,
    NotNeeded,
    Published,
    Superseded,
    Unchanged,
    Unknown,
    WouldWrite,
)
from triage.publish.sticky import candidates, mine_of, next_step
from triage.source.writes import is_unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.publish.outcome import Outcome
    from triage.publish.sticky import Draft, Mine, Step
    from triage.source.writes import Comment, PullNow, Writes

_FORBIDDEN: Final = 403
_NOT_THERE: Final = frozenset({404, 410})
_NOT_ALLOWED: Final = frozenset({401, 403, 404})
NEVER_CREATED: Final = "nothing failed, and no comment of ours says otherwise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long to wait for GitHub, in seconds, and how often.

    Attributes:
        lag: How far a list may be behind the writes.
        latency: How long a request may take on its way.
        pause: Before trying again after a lost answer; doubled each time, up to `lag`.
        tries: Lost answers until we give up.
        looks: Second looks at most; each follows a write, and one is the rule.
        posts: New comments at most, when GitHub does not say whether it stored one.
    """

    lag: float = 3.0
    latency: float = 1.0
    pause: float = 0.5
    tries: int = 8
    looks: int = 4
    posts: int = 3

    @property
    def after_create(self) -> float:
        """When a second comment of somebody else who saw none must be in the list."""
        return self.lag

    @property
    def after_edit(self) -> float:
        """When an older text over ours must be in the list: of one who read a lag after our write, and then wrote."""
        return 2 * self.lag + self.latency


def publish_comment(
    draft: Draft,
    writes: Writes,
    *,
    pace: Pace | None = None,
    sleep: Callable[[float], None] = time.sleep,
    dry_run: bool = False,
) -> Outcome:
    """Make the one comment of this key say what the draft says, unless something newer is there.

    Args:
        draft: What is to be said.
        writes: GitHub.
        pace: How patient to be.
        sleep: Waits so many seconds.
        dry_run: Only say what would be written.

    Returns:
        What came of it. Nothing that GitHub does raises.
    """
    return _Publication(draft, writes, pace or Pace(), sleep, dry_run=dry_run).outcome()


class _Publication:
    """One attempt to publish, and what it has learnt so far.

    Attributes:
        ids: The accounts that are ours; None until somebody had to be told from us.
        gone: Comments that are deleted, whatever a list that lags says.
        done: What we have published; None before that.
        asked: The same of a write whose answer was lost; None when none was.
        settle: How long to wait before a look shows all that others did until our last write; 0 when we have waited.
        posts: New comments we asked for.
        has_waited: Whether we have given the answer about the pull request's head time to catch up.
    """

    def __init__(
        self, draft: Draft, writes: Writes, pace: Pace, sleep: Callable[[float], None], *, dry_run: bool
    ) -> None:
        self.draft = draft
        self.writes = writes
        self.pace = pace
        self.sleep = sleep
        self.dry_run = dry_run
        self.ids: set[int] | None = None
        self.gone: set[int] = set()
        self.done: Published | None = None
        self.asked: Published | None = None
        self.settle = 0.0
        self.posts = 0
        self.has_waited = False

    def outcome(self) -> Outcome:
        """Try until it is settled, or until that has no sense any more."""
        lost, looks = 0, self.pace.looks
        while True:
            try:
                outcome = self._pass()
            except ProviderError as error:
                outcome = self._given_up(error, is_last=lost + 1 >= self.pace.tries)
                if outcome is None:
                    self.sleep(self._pause(lost))
                    lost += 1
                    continue
            if outcome is not None:
                return outcome
            if not looks:
                return self.done or Unknown("others keep writing the same comment")
            looks -= 1
            self.sleep(self.settle)
            self.settle = 0.0

    # ----------------------------------------------------------------------------------------------------------------
    # One pass: read, decide, write once

    def _pass(self) -> Outcome | None:
        """Read, decide and write; None when something was written, so that a second look is due."""
        step = next_step(self._mine(), self.draft, is_second_look=self.done is not None)
        if step.is_nothing or self._was_deleted(step):
            return self._settled(step)
        if step.text is not None:
            pull = self.writes.pull(self.draft.number)  # once more, just before writing
            if pull.head_sha != self.draft.head_sha and not self.has_waited:
                # The report may be newer than this answer, which can be behind, too.
                self.has_waited = True
                self.sleep(self.pace.lag)
                return self._pass()
            if (objection := self._objection(step, pull)) is not None:
                return objection
        if self.dry_run:
            return WouldWrite(_described(step, self.draft))
        return None if self._carry_out(step) else self._pass()

    def _mine(self) -> tuple[Mine, ...]:
        comments = [one for one in self.writes.comments(self.draft.number) if one.id not in self.gone]
        found = candidates(comments, self.draft.marker.key)
        return mine_of(found, self._own_ids(), self.draft.head_sha) if found else ()

    def _own_ids(self) -> set[int]:
        if self.ids is None:
            own = self.writes.own_id()
            self.ids = set() if own is None else {own}
        return self.ids

    def _was_deleted(self, step: Step) -> bool:
        """Whether what we wrote is gone at the second look: somebody does not want it now. The next run asks anew."""
        return step.stays is None and self.done is not None

    def _settled(self, step: Step) -> Outcome | None:
        """Say what came of it, now that nothing is left to do; None when we have not waited yet for what others do."""
        if step.beaten_by is not None and step.stays is not None:
            return Superseded("a newer report is there", step.stays.url)
        if self.asked is not None and step.stays is not None:
            # The answer was lost, and only now it shows that what we wrote was stored.
            self.done, self.asked = Published(step.stays.url, created=self.asked.created), None
        if self.done is not None and step.stays is not None and self.done.url != step.stays.url:
            # Somebody has moved our text into an older comment of ours, which is an edit as any other.
            self.done = Published(step.stays.url, created=self.done.created)
            self.settle = self.pace.after_edit
        if self.settle:
            return None
        if step.stays is None:
            return self.done or NotNeeded(NEVER_CREATED)
        return self.done or Unchanged(step.stays.url)

    def _objection(self, step: Step, pull: PullNow) -> Outcome | None:
        """Say why nothing is to be written: the pull request has moved on, or is closed without a word of ours."""
        if pull.head_sha != self.draft.head_sha:
            was, now = self.draft.head_sha[:10], pull.head_sha[:10]
            return self.done or Superseded(f"pull request #{self.draft.number} has moved on from {was} to {now}")
        if step.stays is None and not step.surplus and not pull.is_open:
            return NotNeeded(f"pull request #{self.draft.number} is closed")
        return None

    def _carry_out(self, step: Step) -> bool:
        """Write and delete; False when the comment that was to take the text is gone, and all must be decided anew."""
        if step.at_once:
            self._delete(step.surplus)
        if step.text is not None and step.stays is not None and not self._edit(step.stays, step.text):
            return False
        if step.text is not None and step.stays is None:
            self._create(step.text)
        if not step.at_once:
            self._delete(step.surplus)
        return True

    def _create(self, text: str) -> None:
        self.asked = Published("", created=True)
        self.settle = max(self.settle, self.pace.after_create)
        self.posts += 1
        written = self.writes.create_comment(self.draft.number, text)
        self.done, self.asked = Published(written.url, created=True), None
        # The token may write as somebody who cannot be asked for beforehand.
        self.ids = (self.ids or set()) | ({written.author_id} if written.author_id is not None else set())

    def _edit(self, stays: Comment, text: str) -> bool:
        self.settle = self.pace.after_edit
        created = self.done is not None and self.done.created
        self.asked = Published(stays.url, created=created)
        try:
            written = self.writes.edit_comment(stays.id, text)
        except ProviderError as error:
            if not self._is_gone(stays.id, error):
                raise
            self.asked = None
            return False
        self.asked = None
        if text in self.draft.bodies:
            self.done = Published(written.url, created=created)
        return True

    def _delete(self, surplus: tuple[int, ...]) -> None:
        for comment_id in surplus:
            self.settle = max(self.settle, self.pace.after_create)
            try:
                self.writes.delete_comment(comment_id)
            except ProviderError as error:
                if not self._is_gone(comment_id, error):
                    raise
            self.gone.add(comment_id)

    def _is_gone(self, comment_id: int, error: ProviderError) -> bool:
        """Whether a comment is no more: deleted by hand, or by one of us who saw an older one."""
        if error.status not in _NOT_THERE:
            return False
        self.gone.add(comment_id)
        return True

    # ----------------------------------------------------------------------------------------------------------------
    # When GitHub does not answer, or says no

    def _given_up(self, error: ProviderError, *, is_last: bool) -> Outcome | None:
        """Return what came of it when trying again has no sense; None when it has."""
        if not is_unknown(error):
            return self.done or _refused(error, self.draft.number)
        if self.asked is not None and self.asked.created and self.done is None:
            # What we cannot tell from a forged one, or have tried too often, must not be written again.
            is_last = is_last or self.posts >= self.pace.posts or not self._is_recognisable()
        if not is_last:
            return None
        if self.done is not None:
            return self.done
        return Unknown(str(error)) if self.asked is not None else Failed(str(error))

    def _is_recognisable(self) -> bool:
        try:
            return bool(self._own_ids())
        except ProviderError:
            return False

    def _pause(self, lost: int) -> float:
        """Return how long to wait after a lost answer: if a new comment was stored, the list must show it by then."""
        if self.asked is not None and self.asked.created:
            return self.pace.after_create
        return min(self.pace.lag, self.pace.pause * float(2**lost))


def _refused(error: ProviderError, number: int) -> Outcome:
    """Say what a refusal means, in one sentence."""
    if isinstance(error, RateLimited) or error.status not in _NOT_ALLOWED:
        return Failed(str(error))
    if error.status == _FORBIDDEN and "locked" in str(error):
        return NotAllowed(f"the conversation of pull request #{number} is locked")
    return NotAllowed(
        f"this token may not comment on pull request #{number}: that needs `pull-requests: write`, "
        "which runs of forks never have"
    )


def _described(step: Step, draft: Draft) -> str:
    surplus = len(step.surplus)
    extra = f", and delete {surplus} older of ours" if surplus else ""
    if step.text is None:
        return f"delete {surplus} surplus comments of ours on pull request #{draft.number}"
    if step.stays is None:
        return f"comment on pull request #{draft.number}{extra}"
    return f"edit {step.stays.url}{extra}"
