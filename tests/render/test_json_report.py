from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render import samples
from tests.render.hostile import foreign_strings, hostile_text, rewritten
from tests.render.test_terminal import UNPRINTABLE
from triage.model import Fault, TestFailure, TestReport
from triage.redact import redact
from triage.render.json_report import render_json, render_log_json
from triage.report import report_json

if TYPE_CHECKING:
    from triage.model import Failure, Report


def as_read(report: Report) -> Any:
    """Return the report's own values as JSON holds them: lists for tuples, secrets masked."""
    return json.loads(json.dumps(report_json(report)), object_hook=masked)


def masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: masked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [masked(item) for item in value]
    return redact(value) if isinstance(value, str) else value


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_what_is_printed_is_the_report_and_nothing_else(name: str) -> None:
    report = samples.SAMPLES[name]()

    text = render_json(report)

    assert text.endswith("}\n")
    assert json.loads(text) == as_read(report)


@given(st.lists(hostile_text(), min_size=1, max_size=10))
def test_printing_hostile_text_does_nothing_and_loses_nothing(texts: list[str]) -> None:
    base = samples.case_b()
    places = {text: place for place, text in enumerate(foreign_strings(base))}
    report = rewritten(base, lambda text: texts[places[text] % len(texts)])

    text = render_json(report)

    assert not UNPRINTABLE.search(text)
    assert json.loads(text) == as_read(report)


def test_secrets_are_masked_wherever_they_stand() -> None:
    token = "ghp_" + "a1B2" * 9

    text = render_json(rewritten(samples.case_a(), lambda original: f"{original} {token}"))

    assert token not in text


def test_signatures_of_addresses_are_dropped() -> None:
    report = samples.case_b()
    run = replace(report.runs[0], url="https://github.com/o/r/actions/runs/1?sig=abc")

    printed = json.loads(render_json(replace(report, runs=(run,))))

    assert printed["runs"][0]["url"] == "https://github.com/o/r/actions/runs/1"


def a_log() -> Failure:
    row = samples.a_regression().jobs[0]
    test = TestFailure(id="tests/a.py::test_b", runner="pytest", file="tests/a.py", exception="KeyError", message="'x'")
    return replace(
        row.failure,
        fault=Fault.CODE,
        title="`test_b` fails",
        evidence=(samples.a_line("E   KeyError: 'x'", 7, 1),),
        tests=TestReport(ran=3, failures=(test,)),
    )


def test_a_log_is_one_line_of_json() -> None:
    text = render_log_json("a\nb.log", a_log())

    assert "\n" not in text
    assert json.loads(text) == {
        "file": "a\nb.log",
        "fault": "code",
        "rule": None,
        "title": "`test_b` fails",
        "evidence": [{"kind": "log-line", "text": "E   KeyError: 'x'", "line": 7, "step": None}],
        "failed_tests": [{"id": "tests/a.py::test_b", "file": "tests/a.py", "error": "KeyError: 'x'"}],
        "tests_run": 3,
    }
