"""What was read from a log is given back as it was, or not at all."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import NOW, a_test
from tests.fakegithub import build
from triage.classify import make_scanner
from triage.gather import gather
from triage.history.store.codec import Unreadable, pack, unpack
from triage.model import Frame, JobFacts, Log, LogLine, MissingLog, Signature, Step, TestFailure
from triage.recorded import Recorded
from triage.redact import redact
from triage.rules import builtin_rules
from triage.source.request import PullRequestRequest, RunRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

CASES = ("case-a", "case-b", "rerun", "lost-runner", "truncated-log", "expired-log")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What another part of the program may want to keep."""

    signatures: Mapping[str, Signature | None]
    executed: frozenset[str] = frozenset()


@pytest.mark.parametrize("case", CASES)
def test_every_job_of_a_recording_is_given_back_as_it_was_read(case: str) -> None:
    recorded = Recorded(build.RUNS / case)
    asked = recorded.about["request"]
    request = PullRequestRequest(asked["pull"]) if "pull" in asked else RunRequest(asked["run"])
    facts = gather(recorded, request, make_scanner(builtin_rules()))

    assert facts.red
    assert [unpack(pack(red), JobFacts) for red in facts.red] == list(facts.red)


@given(st.text(), st.integers(), st.dictionaries(st.text(), st.tuples(st.integers())))
def test_any_text_and_any_number_come_back(text: str, number: int, hits: dict[str, tuple[int]]) -> None:
    log = Log(lines=(LogLine(number, redact(text), at=NOW),), total_lines=number, hits=hits)

    assert unpack(pack(log), Log) == log


def test_mappings_sets_and_missing_values_come_back() -> None:
    answer = Answer(signatures={"a": Signature("test", ("x", "y")), "b": None}, executed=frozenset({"a", "b"}))

    assert unpack(pack(answer), Answer) == answer


def test_a_tuple_of_values_comes_back() -> None:
    steps = (Step(number=1, name="one", started_at=NOW), Step(number=2, name="two"))

    assert unpack(pack(steps), tuple[Step, ...]) == steps


def test_secrets_do_not_come_back() -> None:
    secret = f"ghp_{'a1B2' * 10}"

    body = pack(a_test(message=f"token {secret}"))

    assert secret not in zlib.decompress(body).decode()
    assert unpack(body, TestFailure).message == "token ***"


def raw(value: object) -> bytes:
    return zlib.compress(json.dumps(value).encode())


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not compressed",
        zlib.compress(b"not JSON"),
        pack(a_test())[:-8],
        pack(Step(number=1, name="another class")),
        raw([]),
        raw({"*": "Frame"}),
        raw({"*": "Frame", "path": 7}),
        raw({"*": "Frame", "path": None}),
        raw({"*": "Frame", "path": "a.py", "gone": 1}),
        raw({"*": "Frame", "path": "a.py", "line": "7"}),
        raw({"*": "Frame", "path": "a.py", "in_repository": 1}),
    ],
)
def test_what_is_no_such_value_is_refused_and_never_half_read(body: bytes) -> None:
    with pytest.raises(Unreadable):
        unpack(body, Frame)


def test_why_a_log_is_missing_is_not_taken_for_a_log() -> None:
    job = {"*": "Job", "id": 1, "run_id": 1, "run_attempt": 1, "name": "x"}

    with pytest.raises(Unreadable):
        unpack(raw({"*": "JobFacts", "job": job, "log": {"*": "Gap", "what": "x", "why": "y"}}), JobFacts)
    read = unpack(
        raw({"*": "JobFacts", "job": job, "log": {"*": "MissingLog", "state": "absent", "why": "y"}}), JobFacts
    )
    assert isinstance(read.log, MissingLog)
