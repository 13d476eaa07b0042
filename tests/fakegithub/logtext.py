"""Log scripts: a short text that says what a job printed, and the raw log and steps that follow from it.

A script is the log's own lines, with lines that begin with `@` in between:

    @step NAME | SECONDS [| CONCLUSION]   a step begins; the conclusion is `success` where none is given
    @post NAME | SECONDS                  the clean-up of an earlier step: numbered as GitHub numbers those
    @wait SECONDS                         nothing is printed for so long
    @NAME WORDS                           lines of `noise.MACROS`

`$NAME` stands for a variable of the job, as in `string.Template`. Lines of the script itself come in one burst; what
is left of a step's time goes to the lines of slow tools, else to the silence before its first burst.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from string import Template
from typing import TYPE_CHECKING

from tests.fakegithub.noise import MACROS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

BOM = "\ufeff"


SLOW = frozenset({"docker-pull", "pip", "server", "mlx-progress", "pytest-files"})
BURST = 0.004


@dataclass(frozen=True, slots=True)
class Wait:
    """A pause in the output."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line of output; a slow one comes after a share of the step's time."""

    text: str
    slow: bool = False


@dataclass(slots=True, kw_only=True)
class StepScript:
    """A step and what it printed; `seconds` is how long it took."""

    name: str
    seconds: float
    conclusion: str | None = "success"
    is_post: bool = False
    output: list[Line | Wait] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedStep:
    """A step with its number and times, as the job object tells them."""

    number: int
    name: str
    conclusion: str | None
    started: datetime
    ended: datetime | None


def parse(script: str, names: Mapping[str, str], *, seed: str) -> tuple[StepScript, ...]:
    """Read a log script.

    Raises:
        ValueError: A macro that does not exist, or output before the first step.
    """
    chance = Random(seed)
    steps: list[StepScript] = []
    for line in Template(script).safe_substitute(names).removesuffix("\n").split("\n"):
        if line.startswith(("@step ", "@post ")):
            steps.append(_step(line))
        elif not steps:
            message = f"output before the first @step: {line!r}"
            raise ValueError(message)
        else:
            steps[-1].output.extend(_expand(line, chance, names))
    return tuple(steps)


def _step(line: str) -> StepScript:
    kind, _, rest = line.partition(" ")
    name, seconds, *more = (word.strip() for word in rest.split(" | "))
    conclusion = more[0] if more else "success"
    return StepScript(
        name=name,
        seconds=float(seconds.removesuffix("s")),
        conclusion=None if conclusion == "unfinished" else conclusion,
        is_post=kind == "@post",
    )


def _expand(line: str, chance: Random, names: Mapping[str, str]) -> list[Line | Wait]:
    if not line.startswith("@") or line[1:2] in {"", " ", "@"}:
        return [Line(line.removeprefix("@") if line.startswith("@@") else line)]
    macro, *words = line[1:].split()
    if macro == "wait":
        return [Wait(float(words[0].removesuffix("s")))]
    if macro not in MACROS:
        message = f"no macro @{macro}; there are: {', '.join(sorted(MACROS))}"
        raise ValueError(message)
    return [Line(text, slow=macro in SLOW) for text in MACROS[macro](chance, names, words)]


def timed_steps(steps: tuple[StepScript, ...], start: datetime) -> tuple[TimedStep, ...]:
    """Give each step its number and its times.

    GitHub keeps a number for the clean-up of every step: of n steps, the clean-up of step i has number 2n + 1 - i.
    """
    main = [step.name for step in steps if not step.is_post and step.name != "Complete job"]
    timed = []
    for step, began, ended in spans(steps, start):
        number = _number(step, main)
        timed.append(
            TimedStep(
                number=number,
                name=f"Post {step.name}" if step.is_post else step.name,
                conclusion=step.conclusion,
                started=began.replace(microsecond=0),
                ended=ended.replace(microsecond=0) if step.conclusion is not None else None,
            )
        )
    return tuple(timed)


def _number(step: StepScript, main: list[str]) -> int:
    if step.name == "Complete job":
        return 2 * len(main)
    place = main.index(step.name) + 1
    return 2 * len(main) + 1 - place if step.is_post else place


def spans(steps: tuple[StepScript, ...], start: datetime) -> Iterator[tuple[StepScript, datetime, datetime]]:
    """Give each step with its begin and end, one after the other."""
    at = start
    for step in steps:
        until = at + timedelta(seconds=step.seconds)
        yield step, at, until
        at = until


def render(steps: tuple[StepScript, ...], start: datetime) -> str:
    """Write the raw log: a byte order mark, and a time of seven decimals before each line."""
    lines = [
        f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond:06d}{at.microsecond % 7}Z {text}"
        for step, began, ended in spans(steps, start)
        for at, text in _timed_lines(step, began, ended)
    ]
    return BOM + "".join(f"{line}\n" for line in lines)


def _timed_lines(step: StepScript, began: datetime, ended: datetime) -> Iterator[tuple[datetime, str]]:
    lines = [item for item in step.output if isinstance(item, Line)]
    slow = sum(line.slow for line in lines)
    pauses = sum(item.seconds for item in step.output if isinstance(item, Wait))
    free = (ended - began).total_seconds() - pauses - BURST * len(lines)
    if lines and free < 0:
        message = f"step {step.name!r} takes {step.seconds} s, which is too short for what it prints"
        raise ValueError(message)
    silence = 0.0 if slow else max(free - 0.01, 0.0)
    at, quiet = began, True
    for index, item in enumerate(step.output):
        if isinstance(item, Wait):
            at += timedelta(seconds=item.seconds)
            continue
        share = free / (slow + 1) * (0.6 + index * 7 % 9 / 10) if item.slow else 0.0
        at += timedelta(seconds=BURST + share)
        yield min(at, ended), item.text
        if quiet and item.text == "##[endgroup]":
            at, quiet = at + timedelta(seconds=silence), False
