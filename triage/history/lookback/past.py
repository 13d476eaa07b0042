"""Asks questions about the past: each once, in parallel, within the budget; what has no answer is a gap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from triage.errors import TriageError
from triage.model import Gap
from triage.source.parallel import in_parallel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from triage.history.lookback.budget import Budget
    from triage.history.lookback.memory import Memory
    from triage.history.lookback.questions import Means, Question

Answer = TypeVar("Answer")
Thing = TypeVar("Thing")

MOST_NAMES = 3


class Past:
    """What is known of the past so far. An answer is never asked for twice, and never after it was refused.

    Args:
        means: What questions are answered with.
        budget: What may be asked.
        memory: What earlier triages have asked, if anything keeps it.
        workers: How many questions are asked at once.
    """

    def __init__(self, means: Means, budget: Budget, memory: Memory | None, *, workers: int) -> None:
        self._means = means
        self._budget = budget
        self._memory = memory
        self._workers = workers
        self._answers: dict[Question[Any], object] = {}
        self._unread: dict[Question[Any], str] = {}
        self._refused: list[Question[Any]] = []

    def ask(self, questions: Iterable[Question[Any]]) -> None:
        """Ask those that are not answered yet, the first ones first when not all are granted."""
        new = [one for one in dict.fromkeys(questions) if one not in self._answers and one not in self._unread]
        if self._memory is not None:
            self._answers |= self._memory.recall(new)
        new = [one for one in new if one not in self._answers]
        granted = self._budget.grant(len(new))
        self._refused += [one for one in new[granted:] if one not in self._refused]
        asked = new[:granted]
        found: dict[Question[Any], object] = {}
        for one, answer in zip(asked, in_parallel(self._answer, asked, workers=self._workers), strict=True):
            if isinstance(answer, _Unread):
                self._unread[one] = answer.why
                continue
            found[one] = answer
            self._budget.charge(one.pages(answer) - 1)
        self._answers |= found
        if self._memory is not None and found:
            self._memory.keep(found)

    def get(self, question: Question[Answer]) -> Answer | None:
        """Return the answer; None when there is none, or it was not asked for."""
        return cast("Answer | None", self._answers.get(question))

    def _answer(self, question: Question[Any]) -> object:
        try:
            return question.ask(self._means)
        except TriageError as error:
            return _Unread(str(error))
        except Exception as error:  # noqa: BLE001 - a crash of ours on somebody's old log must not end the triage
            return _Unread(f"triage itself failed on it ({type(error).__name__}); please report it")

    def gaps(self) -> Iterator[Gap]:
        """Yield what was not looked at; what failed alike is told in one line."""
        if self._memory is not None:
            yield from self._memory.gaps
        by_reason: dict[str, list[str]] = {}
        for question, why in self._unread.items():
            by_reason.setdefault(why, []).append(question.about)
        for why, names in by_reason.items():
            more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
            yield Gap(", ".join(names[:MOST_NAMES]) + more, why)
        if self._refused:
            names = [question.about for question in self._refused]
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            yield Gap(f"looking back: {names[0]}{more}", f"not asked for, because {self._budget.why}")


class _Unread:
    """Why there is no answer."""

    def __init__(self, why: str) -> None:
        self.why = why


def in_turn(rows: Iterable[Sequence[Thing]]) -> Iterator[Thing]:
    """Yield the first of each row, then the second of each: where not all can be had, every row has its share."""
    listed = list(rows)
    for place in range(max((len(row) for row in listed), default=0)):
        yield from (row[place] for row in listed if place < len(row))
