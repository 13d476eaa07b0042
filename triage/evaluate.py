"""How right the product is on labelled logs: `triage eval DIR`.

A case is `NAME.yaml` beside `NAME.log` or `NAME.log.gz`; neither when the job left no log. Fields read: `label`,
`accept` (categories that are right too), `contested` (left out of the headline), `key_line` or `key_lines` (any of
them explains the failure), `spans` (1-based line ranges that do), and what GitHub gave beside the log: `job`,
`annotations`, `steps`, `runner`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import yaml

from triage.classify import classify_job
from triage.errors import ConfigError, Problem, UsageError
from triage.logs import read_log, read_tests
from triage.model import (
    Annotation,
    Conclusion,
    EvidenceKind,
    Failure,
    Fault,
    Job,
    JobFacts,
    JobId,
    Log,
    LogState,
    MissingLog,
    RunId,
    Step,
    TestReport,
)
from triage.recorded.files import FileSource
from triage.source.shapes import annotation_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from triage.matching import Scanner
    from triage.rules import RuleSet

LABELS = (
    "code",
    "infrastructure",
    "gpu-residue",
    "missing-label",
    "cascade",
    "starved",
    "cancelled",
    "flaky",
    "intermittent",
    "none",
)

BLAMES_NOBODYS_CHANGE = frozenset(Fault) - {Fault.CODE, Fault.UNKNOWN}
"""What may never be said of a failure that is the code's."""

RIGHT: dict[str, frozenset[Fault]] = {
    "code": frozenset({Fault.CODE, Fault.UNKNOWN}),
    "intermittent": frozenset({Fault.INFRASTRUCTURE, Fault.FLAKY, Fault.GPU_RESIDUE}),
}
"""Answers that are right for a label; every other label has itself alone."""

LEFT_OPEN: dict[str, frozenset[Fault]] = {"intermittent": frozenset({Fault.CODE, Fault.UNKNOWN})}
"""Answers that are no excuse and no finding. One run of an intermittent failure looks like any other failure."""

_FAULT_OF_CATEGORY = {"regression": Fault.CODE, "pre-existing": Fault.CODE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One labelled log."""

    id: str
    set: str
    label: str
    right: frozenset[Fault]
    contested: bool
    key_lines: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    log: Path | None
    facts: dict[str, Any]

    @property
    def has_key(self) -> bool:
        """Whether the label says which lines explain the failure."""
        return bool(self.key_lines or self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the product said of one case."""

    case: Case
    failure: Failure

    @property
    def is_right(self) -> bool:
        """Whether the fault is the label's, or one that is accepted for it."""
        return self.failure.fault in self.case.right

    @property
    def is_open(self) -> bool:
        """Whether nothing was claimed."""
        return not self.is_right and self.failure.fault in LEFT_OPEN.get(self.case.label, {Fault.UNKNOWN})

    @property
    def is_excused_code(self) -> bool:
        """The worst answer: a failure of the code, called something that is not the author's."""
        return self.case.label == "code" and not self.is_right and self.failure.fault in BLAMES_NOBODYS_CHANGE

    @property
    def is_false_alarm(self) -> bool:
        """A passing log in which a failure was seen."""
        return self.case.label == "none" and self.failure.fault is not Fault.NONE

    @property
    def key_rank(self) -> int | None:
        """Position of the first piece of evidence that holds a key line; None when none does."""
        lines = (item for item in self.failure.evidence if item.kind in _QUOTING)
        return next((rank for rank, item in enumerate(lines) if _explains(self.case, item.text, item.line)), None)


_QUOTING = frozenset({EvidenceKind.LOG_LINE, EvidenceKind.ANNOTATION})


def _explains(case: Case, text: str, line: int | None) -> bool:
    if line is not None and any(first <= line <= last for first, last in case.spans):
        return True
    said = _squeeze(text)
    return any(key in said or (len(said) >= _SHORTEST_QUOTE and said in key) for key in case.key_lines)


_SHORTEST_QUOTE = 20


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def load_cases(folder: Path) -> tuple[Case, ...]:
    """Read every labelled case below a folder, by rising path.

    Raises:
        UsageError: there is no such folder, or it holds no case.
        ConfigError: a label file cannot be read; all such files at once.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder of labelled logs")
    problems: list[Problem] = []
    cases = [case for path in sorted(folder.rglob("*.yaml")) if (case := _load_case(path, folder, problems))]
    if problems:
        raise ConfigError(*problems)
    if not cases:
        raise UsageError(f"{folder} holds no labelled log: expected NAME.yaml beside NAME.log or NAME.log.gz")
    return tuple(cases)


def _load_case(path: Path, folder: Path, problems: list[Problem]) -> Case | None:
    try:
        facts = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506  the safe loader, in C
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problems.append(Problem(str(path), line, column, "cannot be read as YAML"))
        return None
    if not isinstance(facts, dict) or facts.get("label") not in LABELS:
        problems.append(Problem(str(path), 1, 1, f"needs a `label`, one of {', '.join(LABELS)}"))
        return None
    label = facts["label"]
    logs = (path.with_suffix(suffix) for suffix in (".log", ".log.gz"))
    keys = facts.get("key_lines") or [facts.get("key_line") or ""]
    parent = path.parent.relative_to(folder)
    return Case(
        id=str(facts.get("id", path.stem)),
        set=parent.parts[0] if parent.parts else folder.name,
        label=label,
        right=_right_answers(label, facts.get("accept")),
        contested=bool(facts.get("contested")),
        key_lines=tuple(squeezed for key in keys if (squeezed := _squeeze(str(key)))),
        spans=tuple((int(first), int(last)) for first, last in facts.get("spans") or ()),
        log=next((log for log in logs if log.exists()), None),
        facts=facts,
    )


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _right_answers(label: str, accept: Sequence[str] | None) -> frozenset[Fault]:
    own = RIGHT.get(label) or frozenset({Fault(label)})
    return own | {_FAULT_OF_CATEGORY.get(name) or Fault(name) for name in accept or ()}


def answer(case: Case, rules: RuleSet, scanner: Scanner) -> Answer:
    """Read and classify one case, from the job alone."""
    facts = job_facts(case, scanner)
    return Answer(case=case, failure=classify_job(facts, rules, scanner))


def job_facts(case: Case, scanner: Scanner) -> JobFacts:
    """Turn a case into what a triage would have fetched for its job."""
    job = _job_of(case.facts)
    log: Log | MissingLog = MissingLog(state=LogState.ABSENT, why="the job left no log")
    tests = TestReport()
    if case.log is not None:
        log = read_log(FileSource(case.log), scanner, steps=job.steps)
        tests = read_tests(log)
    annotations = tuple(map(_annotation_of, case.facts.get("annotations") or ()))
    return JobFacts(job=job, log=log, tests=tests, annotations=annotations)


def _annotation_of(given: Any) -> Annotation:  # noqa: ANN401  as YAML has it
    """Read an annotation: its message alone, or an object as GitHub's API answers."""
    return annotation_of(given) if isinstance(given, dict) else Annotation(message=str(given))


def _job_of(facts: dict[str, Any]) -> Job:
    job = facts.get("job") or {}
    steps = tuple(_steps_of(facts.get("steps") or ()))
    default = "success" if facts["label"] == "none" and facts.get("job") else None
    return Job(
        id=JobId(1),
        run_id=RunId(1),
        run_attempt=1,
        name=str(job.get("name") or facts.get("id", "")),
        conclusion=Conclusion.of(job.get("conclusion") or default),
        runner=facts.get("runner") or ("runner" if steps else None),
        steps=steps,
        created_at=_time(job.get("created_at")),
        started_at=_time(job.get("started_at")),
        completed_at=_time(job.get("completed_at")),
    )


def _steps_of(steps: Iterable[dict[str, Any]]) -> Iterator[Step]:
    for number, step in enumerate(steps, start=1):
        running = step.get("conclusion") == "in_progress"
        yield Step(
            number=int(step.get("number", number)),
            name=str(step.get("name", "")),
            status="in_progress" if running else "completed",
            conclusion=None if running else Conclusion.of(step.get("conclusion")),
            started_at=_time(step.get("started_at")),
            completed_at=_time(step.get("completed_at")),
        )


def _time(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) and text else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Counts of one group of answers."""

    name: str
    cases: int
    right: int
    wrong: int
    open: int
    code_excused: int
    false_alarms: int
    with_key: int
    key_any: int
    key_first: int


def score(name: str, answers: Iterable[Answer]) -> Score:
    """Count one group of answers."""
    given = tuple(answers)
    ranks = [item.key_rank for item in given if item.case.has_key and item.case.label != "none"]
    right = sum(item.is_right for item in given)
    unknown = sum(item.is_open for item in given)
    return Score(
        name=name,
        cases=len(given),
        right=right,
        wrong=len(given) - right - unknown,
        open=unknown,
        code_excused=sum(item.is_excused_code for item in given),
        false_alarms=sum(item.is_false_alarm for item in given),
        with_key=len(ranks),
        key_any=sum(rank is not None for rank in ranks),
        key_first=sum(rank == 0 for rank in ranks),
    )


def scores(answers: Sequence[Answer]) -> tuple[Score, ...]:
    """One row a label in the fixed order of `LABELS`, then all of them; contested cases are a row of their own."""
    settled = [item for item in answers if not item.case.contested]
    by_label: defaultdict[str, list[Answer]] = defaultdict(list)
    for item in settled:
        by_label[item.case.label].append(item)
    rows = [score(label, by_label[label]) for label in LABELS if by_label[label]]
    rows.append(score("all", settled))
    contested = [item for item in answers if item.case.contested]
    return (*rows, score("contested", contested)) if contested else tuple(rows)


def interval(hits: int, of: int, *, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95 % confidence interval of a share, as two numbers between 0 and 1; (0, 1) when there are no cases.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
    """
    if of == 0:
        return 0.0, 1.0
    share = hits / of
    spread = 1 + z * z / of
    middle = (share + z * z / (2 * of)) / spread
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / spread
    return max(0.0, middle - half), min(1.0, middle + half)
