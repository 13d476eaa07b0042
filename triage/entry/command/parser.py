"""One line of text to a command and its words. Exact: what is nearly a command is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from triage.entry.command.answers import Does

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from triage.entry.command.answers import Answer
    from triage.entry.command.turn import Turn

NAME: Final = "/triage"
LONGEST_LINE: Final = 500
_SEE_HELP: Final = "`/triage help` lists the commands."

# Quotes of every keyboard, and backticks: names of jobs are shown in code, and are copied so.
_WORD: Final = re.compile(
    r"""[ \t]*(?:(?:"([^"]*)"|“([^”]*)”|'([^']*)'|`([^`]*)`)(?=[ \t]|$)|([^ \t]+))""",
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word, or several in quotes. What is quoted is always a name, never a keyword or a number."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """What stands after a command's name, as the help shows it."""

    name: str
    optional: bool = False

    def __str__(self) -> str:
        return f"[{self.name}]" if self.optional else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command.

    Attributes:
        name: The word after `/triage`; empty for `/triage` alone.
        permit: The name under which the settings say who may give it; None when everybody may.
        acts: Whether it changes more than our own comments.
        claims: What it is counted as; None for what costs nothing.
        run: Does it.

    Raises (run):
        Refused: It is not done, and why.
        ProviderError: GitHub could not be asked.
    """

    name: str
    summary: str
    run: Callable[[Turn], Answer]
    permit: str | None = None
    arguments: tuple[Argument, ...] = ()
    acts: bool = False
    claims: Does | None = Does.LOOKED

    @property
    def usage(self) -> str:
        """How it is given."""
        return " ".join([NAME, *([self.name] if self.name else []), *map(str, self.arguments)])

    @property
    def least_words(self) -> int:
        """How many words must follow the name."""
        return sum(not argument.optional for argument in self.arguments)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A right command with what stands after its name."""

    command: Command
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Misused:
    """No command, or not so; `why` is Markdown that holds nothing of what was written."""

    why: str


def is_command(line: str) -> bool:
    """Whether a first line is meant for us: the very word at its very beginning."""
    return line == NAME or line.startswith((f"{NAME} ", f"{NAME}\t"))


def words_of(line: str) -> tuple[Word, ...]:
    """Split a line into words."""
    found = (match.groups() for match in _WORD.finditer(line))
    return tuple(
        Word(next(part for part in parts if part is not None), quoted=parts[-1] is None)
        for parts in found
        if any(part is not None for part in parts)
    )


def parse(line: str, commands: Sequence[Command]) -> Parsed | Misused:
    """Read a line for which `is_command` holds."""
    if len(line) > LONGEST_LINE:
        return Misused(f"a command is one line of at most {LONGEST_LINE} characters. {_SEE_HELP}")
    _, *words = words_of(line)
    name, rest = (words[0].text, tuple(words[1:])) if words and not words[0].quoted else ("", tuple(words))
    command = next((command for command in commands if command.name == name), None)
    if command is None or (rest and not command.name):
        return Misused(f"there is no such command. {_SEE_HELP}")
    if len(rest) < command.least_words or (rest and not command.arguments):
        return Misused(f"it is given as `{command.usage}`. {_SEE_HELP}")
    return Parsed(command, rest)
