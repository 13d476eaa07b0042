"""What the log of an earlier job says: how it failed, and which tests it surely executed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from triage.classify import classify_job
from triage.decide import signatures_of
from triage.decide.belief import believable
from triage.decide.reach import failed_tests
from triage.errors import ProviderError
from triage.logs import read_log, read_tests
from triage.model import Fault, JobFacts, LogState, MissingLog
from triage.settings import BUILT_IN
from triage.signature import signature_of_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from triage.matching import Scanner
    from triage.model import Job, Signature, TestFailure
    from triage.rules import RuleSet
    from triage.settings import Settings
    from triage.source.protocol import LogSource, Reads

BLOCK = 1 << 20
SHORTEST_NAME = 8
"""A shorter name of a test, such as `works`, stands in any log."""

Needles = tuple[tuple[str, tuple[str, ...]], ...]
"""Test ids, each with the texts of which one must stand in a log for the test to have been there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one job's log says.

    Attributes:
        fault: What broke; `NONE` for a job that passed, `INFRASTRUCTURE` too where the log was never written.
        signatures: All that the failure is known by.
        tests: Failed tests by id, each with how it failed; None where that cannot be compared.
        executed: Ids of the tests asked for that the log names, in a run of tests that came to its end.
    """

    fault: Fault
    signatures: tuple[Signature, ...] = ()
    tests: Mapping[str, Signature | None] = field(default_factory=dict)
    executed: frozenset[str] = frozenset()

    def shows(self, signature: Signature) -> bool:
        """Whether the very same failure stands in it."""
        return signature in self.signatures or signature in self.tests.values()


def read_told(
    reads: Reads, job: Job, needles: Needles, rules: RuleSet, scanner: Scanner, settings: Settings = BUILT_IN
) -> Told:
    """Read the log of an earlier job.

    Args:
        reads: Asked for the log.
        job: What GitHub says of it.
        needles: Tests to look for.
        rules: What is known to break.
        scanner: What to look for in logs.
        settings: What the repository says its jobs are.

    Raises:
        ProviderError: It cannot be read, or not to its end, so that what is absent from it proves nothing.
    """
    source = reads.log(_as_json(job))
    if isinstance(source, MissingLog):
        if source.state is LogState.ABSENT:
            return Told(fault=Fault.INFRASTRUCTURE)
        raise ProviderError(source.why)
    try:
        return _digest(source, job, needles, rules, scanner, settings)
    except (OSError, EOFError) as error:
        raise ProviderError(f"{source.name} cannot be read ({error})") from error


def _digest(
    source: LogSource, job: Job, needles: Needles, rules: RuleSet, scanner: Scanner, settings: Settings
) -> Told:
    log = read_log(source, scanner, steps=job.steps)
    if log.truncated:
        raise ProviderError(f"{source.name} ends early")
    tests = read_tests(log)
    failure = believable(classify_job(JobFacts(job=job, log=log, tests=tests), rules, scanner, settings))
    came_to_an_end = bool(tests.ran) and not tests.not_run
    return Told(
        fault=failure.fault,
        signatures=signatures_of(failure),
        tests={test.id: signature_of_test(test) for test in failed_tests(failure)},
        executed=_named_in(source, needles) if came_to_an_end else frozenset(),
    )


def needles_of(tests: Iterable[TestFailure], changed: frozenset[str]) -> Needles:
    """Say what must stand in a log for each test to have been there: its file or its own name.

    The file is not enough where the change touches it: the test may be new in it.
    """
    return tuple(dict.fromkeys((test.id, tuple(dict.fromkeys(_names(test, changed)))) for test in tests))


def _names(test: TestFailure, changed: frozenset[str]) -> Iterable[str]:
    short = test.id.rpartition("/")[2]
    if len(short) >= SHORTEST_NAME:
        yield short
    *_, owner, name = ["", *re.split(r"::|\.(?!py\b)", short)]
    if owner:
        yield from (f"{owner}.{name}", f"{owner}::{name}", f"{name} ({owner}", f"{name} (__main__.{owner}")
    if test.file and not any(path.endswith(test.file) or test.file.endswith(path) for path in changed):
        yield test.file.rpartition("/")[2]


def _named_in(source: LogSource, needles: Needles) -> frozenset[str]:
    """Return the tests of which a name stands in a log; the whole raw log is looked through, block by block."""
    sought = {test: tuple(name.encode() for name in names) for test, names in needles}
    longest = max((len(name) for names in sought.values() for name in names), default=0)
    found: set[str] = set()
    rest = b""
    with source.open() as raw:
        while len(found) < len(sought) and (block := raw.read(BLOCK)):
            text = rest + block
            found |= {test for test, names in sought.items() if any(name in text for name in names)}
            rest = text[-longest:]
    return frozenset(found)


def _as_json(job: Job) -> dict[str, Any]:
    """Give back what reading a log takes from GitHub's own object."""
    return {
        "id": job.id,
        "run_id": job.run_id,
        "run_attempt": job.run_attempt,
        "name": job.name,
        "status": job.status,
        "conclusion": job.conclusion.value if job.conclusion else None,
        "runner_name": job.runner,
        "started_at": job.started_at.isoformat() if job.started_at else None,
        "completed_at": job.completed_at.isoformat() if job.completed_at else None,
        "steps": [{"number": step.number, "name": step.name} for step in job.steps],
    }
