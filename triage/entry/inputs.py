"""The inputs of the Action, as a table: what each may be. `action.yml` hands them over as `TRIAGE_…` variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from triage.errors import UsageError
from triage.github.hosts import read_hosts
from triage.model import Category
from triage.settings import When

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SWEEP: Final = "sweep"
DEFAULT_DEADLINE: Final = 240
LONGEST_DEADLINE: Final = 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What the workflow asks for. None where it leaves it to the event or to the settings.

    Attributes:
        run_id: The run to triage.
        sweep: Look for pull requests that events missed, instead.
        attempt: The least attempt of the run that must be seen.
        deadline: Seconds for a triage.
    """

    run_id: int | None = None
    sweep: bool = False
    attempt: int | None = None
    token: str = ""
    rules_path: str | None = None
    rules_ref: str | None = None
    comment: When | None = None
    fail_on: tuple[Category, ...] = ()
    max_logs: int | None = None
    deadline: int = DEFAULT_DEADLINE
    log_hosts: tuple[str, ...] = ()
    dry_run: bool = False
    history: str | None = None
    check_run: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Input:
    """One input: its name in `action.yml`, and what reads it. `expected` is said when it cannot be read."""

    name: str
    read: Callable[[str], Any]
    expected: str

    @property
    def variable(self) -> str:
        """The environment variable that carries it."""
        return f"TRIAGE_{self.name.upper().replace('-', '_')}"

    @property
    def field(self) -> str:
        """The attribute of `Inputs`."""
        return self.name.replace("-", "_")


def _number(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and 0 < int(text) <= most):
            raise ValueError(text)
        return int(text)

    return read


def _run_id(text: str) -> int | str:
    return SWEEP if text == SWEEP else _number(10**18)(text)


def _flag(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


def _categories(text: str) -> tuple[Category, ...]:
    return tuple(Category(word) for word in text.replace(",", " ").split())


def _path(text: str) -> str:
    parts = text.split("/")
    if {"", ".", ".."} & set(parts) or not text.isprintable():
        raise ValueError(text)
    return text


INPUTS: Final = (
    Input("run-id", _run_id, f"the number of a run, or `{SWEEP}`"),
    Input("attempt", _number(1_000), "the number of an attempt"),
    Input("token", str, "a token"),
    Input("rules-path", _path, "the path of a file in the repository"),
    Input("rules-ref", str, "a branch, a tag or a commit"),
    Input("comment", When, ", ".join(f"`{when.value}`" for when in When)),
    Input("fail-on", _categories, "categories, such as `regression unknown`"),
    Input("max-logs", _number(10_000), "a number above 0"),
    Input("deadline", _number(LONGEST_DEADLINE), f"seconds, at most {LONGEST_DEADLINE:,}"),
    Input("log-hosts", read_hosts, "names of hosts, such as `store.acme.example`"),
    Input("dry-run", _flag, "`true` or `false`"),
    Input("history", str, "a URL, a path or `none`"),
    Input("check-run", _flag, "`true` or `false`"),
    Input("strict", _flag, "`true` or `false`"),
)


def read_inputs(environment: Mapping[str, str]) -> Inputs:
    """Read all inputs; an empty one is one that was not given.

    Raises:
        UsageError: Some cannot be read; all of them are told.
    """
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for one in INPUTS:
        text = environment.get(one.variable, "").strip()
        if not text:
            continue
        try:
            values[one.field] = one.read(text)
        except (ValueError, KeyError):
            wrong.append(f"the input `{one.name}` is {text[:60]!r}; expected {one.expected}")
    if wrong:
        raise UsageError("; ".join(wrong))
    if values.get("run_id") == SWEEP:
        values |= {"run_id": None, "sweep": True}
    return Inputs(**values)
