"""One command's turn: what it may use, and what has been said so far."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from triage.entry.command.answers import Does, Note, Refused
from triage.entry.command.people import check_permit
from triage.entry.options import looking_back
from triage.settings import Permit, Role

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from triage.entry.command.event import Asked
    from triage.entry.command.parser import Command, Word
    from triage.entry.own_rules import OwnRules
    from triage.history.store import Store
    from triage.model import Gap, Report
    from triage.settings import Settings
    from triage.source import Reads
    from triage.source.acts import Acts
    from triage.source.writes import Comment, Writes


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The repository as commands find it.

    Attributes:
        own: How things are done here, as the default branch says.
        store: What keeps what was seen; None where nothing does, a gap where it could not be opened.
        lag: Seconds by which GitHub's lists may be behind what was written.
        now: When the command was received.
    """

    reads: Reads
    writes: Writes
    acts: Acts
    own: OwnRules
    store: Store | Gap | None
    now: datetime
    lag: float
    sleep: Callable[[float], None]

    @property
    def settings(self) -> Settings:
        """The settings that hold."""
        return self.own.settings


class Turn:
    """One command's turn.

    Attributes:
        own_id: Our own account, by which our comments are told from forged ones.
        said: Our answer as it stands on the pull request, where it had to be there before the command was done.
    """

    def __init__(
        self, asked: Asked, command: Command, words: tuple[Word, ...], house: House, *, own_id: int | None
    ) -> None:
        self.asked = asked
        self.command = command
        self.words = words
        self.house = house
        self.own_id = own_id
        self.said: Comment | None = None
        self.note = new_note(asked)

    @cached_property
    def report(self) -> Report:
        """What a triage of the pull request says now.

        Raises:
            ProviderError: GitHub could not be read.
        """
        from triage.app import triage
        from triage.source.request import PullRequestRequest

        house, settings = self.house, self.house.settings
        return triage(
            PullRequestRequest(self.asked.number),
            house.reads,
            house.own.rules,
            settings=settings,
            gaps=house.own.gaps,
            limits=looking_back(settings),
            store=house.store,
        )

    def check_permit(self) -> None:
        """Ask GitHub whether the person may give this command now.

        Raises:
            Refused: They may not, or GitHub did not say that they may.
        """
        permit = self.permit
        if permit is not None:
            check_permit(permit, self.asked, self.house.acts)

    @property
    def permit(self) -> Permit | None:
        """Who may give this command; None when everybody may."""
        return permit_of(self.command, self.house.settings, is_broken=self.house.own.is_broken)


def new_note(asked: Asked) -> Note:
    """Begin the answer to a comment."""
    return Note(to=asked.comment_id, pull=asked.number, by=asked.person.id, does=Does.DONE, nonce=secrets.token_hex(8))


def permit_of(command: Command, settings: Settings, *, is_broken: bool = False) -> Permit | None:
    """Say who may give a command here.

    Settings that cannot be read may have said less than what is built in: then whatever acts is for those who write.
    """
    if command.permit is None:
        return None
    permit = settings.permits[command.permit]
    if is_broken and command.acts:
        return Permit(role=max(permit.role, Role.WRITE, key=lambda role: role.rank))
    return permit


def must_be_open(turn: Turn, what: str) -> None:
    """Refuse on a pull request that is closed.

    Raises:
        Refused: It is.
    """
    if turn.report.pull is not None and turn.report.pull.state != "open":
        raise Refused("closed", f"the pull request is closed, so {what}.")
