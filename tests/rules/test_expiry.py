"""A rule that has expired explains nothing that broke after its last day, whenever it is asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.rules.yaml_rules import with_field
from triage.app import triage
from triage.entry.cli import main
from triage.history.store import Store
from triage.recorded import Recorded
from triage.render.json_report import render_json
from triage.render.markdown import render_markdown
from triage.rules import builtin_rules
from triage.source.request import PullRequestRequest

if TYPE_CHECKING:
    from triage.model import Report
    from triage.rules import RuleSet

CASE_A = Path(__file__).parents[1] / "fixtures" / "runs" / "case-a"
ISSUE = "https://github.com/acme/engine/issues/1234"
KNOWN = "container-cannot-be-removed"


def until(day: date | None) -> RuleSet:
    rules = builtin_rules()
    expires = "" if day is None else day.isoformat()
    changed = [replace(rule, expires=expires, issue=ISSUE) if rule.id == KNOWN else rule for rule in rules.rules]
    return replace(rules, rules=tuple(changed))


def told(rules: RuleSet, store: Store | None = None) -> Report:
    return triage(PullRequestRequest(number=39471), Recorded(CASE_A), rules, store=store)


def rules_in(report: Report) -> set[str]:
    return {cause.rule.id for cause in report.causes if cause.rule}


def day_of_case_a() -> date:
    as_of = told(until(None)).as_of
    assert as_of is not None
    return as_of.date()


def test_the_day_is_that_of_the_recorded_run_and_not_of_the_clock() -> None:
    ran = day_of_case_a()

    assert KNOWN in rules_in(told(until(ran)))
    assert KNOWN not in rules_in(told(until(date.fromordinal(ran.toordinal() - 1))))
    assert render_json(told(until(ran))) == render_json(told(until(ran)))


def test_the_report_leads_to_the_issue_in_which_a_cause_is_known() -> None:
    report = told(until(None))

    assert "/acme/engine/issues/1234" in render_markdown(report)
    assert f'"issue": "{ISSUE}"' in render_json(report)


def test_what_an_expired_rule_said_is_not_taken_from_the_history(tmp_path: Path) -> None:
    gone = until(date(2020, 1, 1))
    with Store.open(tmp_path / "history.db") as store:
        assert KNOWN in rules_in(told(until(None), store))
        assert KNOWN not in rules_in(told(gone, store))
        again = told(gone, store)

    assert render_json(again) == render_json(told(gone))


@pytest.mark.parametrize(("stamp", "speaks"), [("2027-01-31", True), ("2027-02-01", False)])
def test_a_lone_log_is_judged_by_the_day_on_which_it_was_written(
    stamp: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, speaks: bool
) -> None:
    rules, log = tmp_path / "rules.yml", tmp_path / "job.log"
    rules.write_text(with_field("expires: 2027-01-31").replace("No space left on device", "frobnicator is out of oil"))
    log.write_text(f"{stamp}T10:00:00.0000000Z frobnicator is out of oil\n")

    main(["log", str(log), "--rules", str(rules)])

    assert ("The disk is full" in capsys.readouterr().out) is speaks
