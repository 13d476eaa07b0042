"""Which labelled log is won by which rule: a table kept beside the logs, so that a new rule shows what it takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from triage.entry.output import show
from triage.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping

    from triage.evaluate import Answer
    from triage.rules import RuleSet

TABLE: Final = "winners.txt"
_NO_RULE: Final = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `rules check` takes of labelled logs."""
    parser.add_argument(
        "--cases",
        metavar="DIR",
        type=Path,
        help=f"a folder of labelled logs: tell which rule takes which log from which other, against DIR/{TABLE}",
    )
    parser.add_argument("--write", action="store_true", help=f"with --cases: write DIR/{TABLE} anew")


def compare(arguments: argparse.Namespace, rules: RuleSet) -> bool:
    """Tell what differs from the table, and write it where that was asked for.

    Returns:
        Whether the table is out of date still.

    Raises:
        UsageError: There are no such logs, or no table and none is to be written.
    """
    from triage.classify import make_scanner
    from triage.evaluate import answer, load_cases

    folder: Path | None = arguments.cases
    if folder is None:
        if arguments.write:
            raise UsageError("--write needs --cases DIR: the labelled logs of which the table is made")
        return False
    scanner = make_scanner(rules)
    now = table(answer(case, rules, scanner) for case in load_cases(folder))
    place = folder / TABLE
    before = place.read_text(encoding="utf-8") if place.is_file() else None
    if before is None and not arguments.write:
        raise UsageError(f"there is no {place}; --write makes it")
    lines = list(changes(before or "", now))
    if arguments.write:
        place.write_text(now, encoding="utf-8")
    show("".join(f"{line}\n" for line in lines) if before is not None else "")
    told = (
        "is written" if arguments.write and before != now else "holds" if before == now else "is out of date (--write)"
    )
    show(f"{place} {told}: {len(now.splitlines())} logs\n")
    return before != now and not arguments.write


def table(answers: Iterable[Answer]) -> str:
    """Write a line a log: its set and id, the fault, and the rule that won it, or in brackets what decided else.

    Nothing is aligned: a log more or less is one line more or less.
    """
    rows = (f"{given.case.set}/{given.case.id} {given.failure.fault.value} {_winner(given)}\n" for given in answers)
    return "".join(sorted(rows))


def _winner(given: Answer) -> str:
    return given.failure.rule.id if given.failure.rule else f"({given.failure.basis.value})"


def changes(before: str, now: str) -> Iterator[str]:
    """Say which rule takes which log from which other."""
    old, new = _rows(before), _rows(now)
    for case in sorted(old.keys() | new.keys()):
        was, is_now = old.get(case), new.get(case)
        if was == is_now:
            continue
        if was is None:
            yield f"{case} is new, and won by {_named(is_now)}"
        elif is_now is None:
            yield f"{case} is gone; it was won by {_named(was)}"
        elif was[1] == is_now[1]:
            yield f"{_named(is_now)} still wins {case}, and it is {is_now[0]} now, not {was[0]}"
        else:
            fault = "" if was[0] == is_now[0] else f"; it is {is_now[0]} now, not {was[0]}"
            yield f"{_named(is_now)} now takes {case} from {_named(was)}{fault}"


def _rows(text: str) -> Mapping[str, tuple[str, str]]:
    cells = (line.split() for line in text.splitlines())
    return {row[0]: (row[1], row[2]) for row in cells if len(row) == 3}


def _named(row: tuple[str, str] | None) -> str:
    if row is None:
        return _NO_RULE
    winner = row[1]
    return f"no rule {winner}" if winner.startswith("(") else f"rule {winner}"
