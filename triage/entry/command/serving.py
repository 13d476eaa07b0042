"""One comment from its receipt to its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.entry.command.answers import Answer, Does, Note, Refused, read_note
from triage.entry.command.caps import CAP, WINDOW, take_number
from triage.entry.command.parser import Misused, parse
from triage.entry.command.table import COMMANDS
from triage.entry.command.turn import House, Turn, new_note
from triage.entry.output import say
from triage.entry.own_rules import read_own_rules
from triage.errors import ProviderError, UsageError
from triage.history.opening import open_store
from triage.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from triage.entry.command.event import Asked
    from triage.history.store import Store
    from triage.source import Reads
    from triage.source.acts import Acts, Reaction
    from triage.source.writes import Writes

RECEIVED, DONE, REFUSED = "eyes", "rocket", "confused"
_GONE: Final = frozenset({404, 410})
_STOPPED: Final = 3
ONCE: Final = frozenset({"permission", CAP})


class Server:
    """Serves one comment."""

    def __init__(
        self,
        asked: Asked,
        *,
        reads: Reads,
        writes: Writes,
        acts: Acts,
        commit: Callable[[], str],
        history: str,
        now: datetime,
        lag: float | None,
        sleep: Callable[[float], None],
    ) -> None:
        self._asked = asked
        self._reads = reads
        self._writes = writes
        self._acts = acts
        self._commit = commit
        self._history = history
        self._now = now
        self._lag = lag
        self._sleep = sleep

    def serve(self) -> int:
        """Do what was asked, or say why not; return the exit code.

        Raises:
            ProviderError: GitHub did not even say whether the comment is ours to answer.
        """
        try:
            received = self._acts.react(self._asked.comment_id, RECEIVED)
        except ProviderError as error:
            if error.status in _GONE:
                return _nothing("the comment is gone")
            raise
        if not received.is_new:
            return _nothing("the comment was received before")
        turn: Turn | None = None
        try:
            turn = self._turn(received)
            turn.check_permit()
            if turn.command.claims is not None:
                take_number(turn, turn.command.claims)
            return self._answer(turn, turn.command.run(turn))
        except Refused as refusal:
            return self._refuse(turn, received, refusal)
        except ProviderError as error:
            say(str(error))
            stopped = Refused("no-answer", "GitHub could not be asked, and nothing more was done. Please try again.")
            return self._refuse(turn, received, stopped) or _STOPPED
        except BaseException:
            # A mistake of ours is told by whoever called; the person must not wait for an answer.
            self._finish(REFUSED)
            raise
        finally:
            if turn is not None and turn.house.store is not None and not isinstance(turn.house.store, Gap):
                turn.house.store.close()

    def _turn(self, received: Reaction) -> Turn:
        parsed = parse(self._asked.line, COMMANDS)
        if isinstance(parsed, Misused):
            raise Refused("usage", parsed.why)
        own = read_own_rules(self._reads, self._commit())
        house = House(
            reads=self._reads,
            writes=self._writes,
            acts=self._acts,
            own=own,
            store=_open(self._history or own.settings.history),
            now=self._now,
            lag=float(own.settings.verify_after) if self._lag is None else self._lag,
            sleep=self._sleep,
        )
        return Turn(self._asked, parsed.command, parsed.words, house, own_id=received.author_id)

    # ----------------------------------------------------------------------------------------------------------------
    # Answers

    def _answer(self, turn: Turn, answer: Answer) -> int:
        claims = turn.command.claims
        does = Does.DONE if claims is None else Does.RERUN if answer.reran else Does.LOOKED
        code = self._write(turn, turn.note.saying(does), answer.text) if answer.text or turn.said else 0
        self._finish(DONE if answer.has_helped else REFUSED)
        return code

    def _finish(self, content: str) -> None:
        """React for the last time. All is done and said by now: it is no matter if this gets lost."""
        try:
            self._acts.react(self._asked.comment_id, content)
        except ProviderError as error:
            say(str(error))

    def _write(self, turn: Turn | None, note: Note, text: str) -> int:
        """Write the answer, over what was said of it before. What is lost of it is only said, never tried again."""
        body = f"{note}\n{text.strip()}\n"
        try:
            if turn is not None and turn.said is not None:
                self._writes.edit_comment(turn.said.id, body)
            else:
                self._writes.create_comment(self._asked.number, body)
        except ProviderError as error:
            say(f"the answer may not have been written: {error}")
            return _STOPPED
        return 0

    def _refuse(self, turn: Turn | None, received: Reaction, refusal: Refused) -> int:
        """Say no with 😕 and a sentence; what nobody can mend by writing it better is said once a day."""
        say(f"refused: {refusal.why}")
        # What was looked at has cost something, whatever came of it.
        does = Does.LOOKED if turn is not None and turn.said is not None and refusal.why != CAP else Does.REFUSED
        note = (turn.note if turn is not None else new_note(self._asked)).saying(does, refusal.why)
        code = 0
        if refusal.why not in ONCE or not self._was_told(note, received):
            text = str(refusal)
            code = self._write(turn, note, f"{text[:1].upper()}{text[1:]}")
        elif turn is not None and turn.said is not None:
            self._take_back(turn.said.id)
        self._finish(REFUSED)
        return code

    def _take_back(self, comment_id: int) -> None:
        """Delete what was said, where saying more would be one comment too many."""
        try:
            self._writes.delete_comment(comment_id)
        except ProviderError as error:
            say(str(error))

    def _was_told(self, note: Note, received: Reaction) -> bool:
        """Whether this person was refused for the same reason here, a short time ago; nobody can make us repeat it."""
        try:
            comments = self._writes.comments(self._asked.number)
        except ProviderError:
            return False
        since = self._now - WINDOW
        ours = (
            read_note(comment.body)
            for comment in comments
            if comment.author_id == received.author_id and comment.updated_at is not None and comment.updated_at > since
        )
        return any(
            (told.does, told.why, told.by) == (note.does, note.why, note.by) for told in ours if told is not None
        )


def _open(choice: str) -> Store | Gap | None:
    """Open the history that the settings name; a command is done without one, too."""
    try:
        return open_store(choice)
    except UsageError as error:
        return Gap("history", str(error))


def _nothing(why: str) -> int:
    say(f"nothing to do: {why}")
    return 0
