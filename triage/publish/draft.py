"""From a report to the comment that says it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from triage.publish.marker import DEFAULT_KEY, check_key, head_of, marker_of
from triage.publish.numbers import numbers_line
from triage.publish.sticky import Draft, OnWorse
from triage.render.markdown import COMMENT_LIMIT, render_markdown

if TYPE_CHECKING:
    from triage.model import Report

# No bots: nobody reads what they are told.
_LOGIN: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_ROOM_FOR_MENTION: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentSettings:
    """How a project wants its comments.

    Attributes:
        key: Which comment: one for each key. Letters, digits, dots, dashes and underscores.
        on_worse: What to do when the answer gets worse.
        when_green: Whether to comment on a pull request of which nothing ever failed.
        commands: Whether next steps are told as comment commands.
    """

    key: str = DEFAULT_KEY
    on_worse: OnWorse = OnWorse.EDIT
    when_green: bool = False
    commands: bool = True

    def __post_init__(self) -> None:
        check_key(self.key)


def draft_of(report: Report, settings: CommentSettings) -> Draft | None:
    """Write the comment of a report; None when it is about no pull request."""
    pull = report.pull
    if pull is None:
        return None
    marker = marker_of(report, settings.key)
    numbers = f"\n{line}\n" if (line := numbers_line(report)) else ""
    limit = COMMENT_LIMIT - _ROOM_FOR_MENTION - len(numbers)
    text = render_markdown(report, marker=str(marker), limit=limit, commands=settings.commands)
    mentions = settings.on_worse is OnWorse.MENTION and _LOGIN.fullmatch(pull.author) is not None
    return Draft(
        number=pull.number,
        head_sha=head_of(report),
        marker=marker,
        body=f"{text}{numbers}",
        alarm=f"{text}\n@{pull.author}, this has become worse since the last report.\n{numbers}" if mentions else None,
        is_wanted=settings.when_green or _has_something_to_say(report),
        on_worse=settings.on_worse,
    )


def _has_something_to_say(report: Report) -> bool:
    """Whether anything failed, or may have without our seeing it."""
    return bool(report.jobs) or any(gap.hides_jobs for gap in report.gaps)
