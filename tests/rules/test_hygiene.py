"""What is wrong with rules of which every example holds."""

from __future__ import annotations

import time
from datetime import date
from typing import TYPE_CHECKING

import pytest

from tests.rules.yaml_rules import RULE, rules_file, with_field
from triage.classify.proof import check_passing
from triage.entry.cli import main
from triage.logs import TextSource
from triage.rules import builtin_rules, load_rules, parse_builtin
from triage.rules.bounds import HOSTILE, LONG, check_bounds, check_words
from triage.rules.hygiene import check_captures, check_days, check_reach
from triage.rules.passing import passing_logs

if TYPE_CHECKING:
    from pathlib import Path

    from triage.errors import Problem
    from triage.rules import RuleSet

PASSING = [TextSource(name, text) for name, text in passing_logs()]


def loaded(*rules: str) -> RuleSet:
    return load_rules(rules_file(*rules), "rules.yml")


def told(problems: tuple[Problem, ...]) -> list[str]:
    return [str(problem) for problem in problems]


def capturing(pattern: str, line: str) -> str:
    return (
        RULE.replace("'No space left on device'", f"'{pattern}'")
        .replace("tar: write error: No space left on device", line)
        .replace("Filesystem 40% used", "all well")
    )


def test_the_built_in_rules_show_in_no_passing_log() -> None:
    assert told(check_passing(builtin_rules(), PASSING)) == []


def test_the_built_in_rules_capture_nothing_that_varies() -> None:
    assert told(check_captures(parse_builtin())) == []


def test_each_built_in_rule_can_win() -> None:
    assert told(check_reach(parse_builtin())) == []


def test_each_built_in_rule_is_bounded() -> None:
    assert told(check_bounds(builtin_rules(), time.process_time)) == []


def test_a_rule_that_shows_where_nothing_failed_is_told_where() -> None:
    (problem,) = told(check_passing(loaded(capturing("(?i)error", "x: error")), PASSING))

    assert problem.startswith("rules.yml:6:11: rule `disk-full` shows in the passing log `compiled`, line 4: `")
    assert "and in `docker`, `gpu`, `node`, `python`; match more of the line" in problem


@pytest.mark.parametrize(
    ("line", "pattern", "what"),
    [
        ("worker died with pid ‹4711›", r"died with pid (?P<it>\d+)", "<n>"),
        ("died at ‹2026-11-30T10:11:12Z› today", r"died at (?P<it>\S+)", "<time>"),
        ("commit ‹1f0e2d3c4b5a› is gone", r"commit (?P<it>\w+) is gone", "<hash>"),
        ("no room in ‹/tmp/tmpab12cd34/x›", r"no room in (?P<it>\S+)", "<tmp>"),
        ("gave up after ‹31.5s› of waiting", r"gave up after (?P<it>\S+) of", "<duration>"),
        ("broken: ‹src/a.py:12› is wrong", r"broken: (?P<it>\S+) is", "<line>"),
    ],
)
def test_a_capture_that_varies_from_run_to_run_is_no_identity(line: str, pattern: str, what: str) -> None:
    (problem,) = told(check_captures(loaded(capturing(pattern, line))))

    assert problem.startswith("rules.yml:9:11: rule `disk-full` captures `it` = `")
    assert f"`{what}`" in problem


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("host ‹files.acme.dev› is down", r"host (?P<it>\S+) is down"),
        ("answered ‹503› to us", r"answered (?P<it>\d+) to"),
        ("failed in ‹src/a.py›:12", r"failed in (?P<it>[^:]+):"),
        ("because of: ‹build on runner-12, lint›", r"because of: (?P<roots>.+)"),
    ],
)
def test_what_stays_the_same_may_be_captured(line: str, pattern: str) -> None:
    assert told(check_captures(loaded(capturing(pattern, line)))) == []


def test_a_rule_behind_its_twin_can_never_fire() -> None:
    (problem,) = told(check_reach(loaded(RULE, RULE.replace("disk-full", "disk-slow"))))

    assert problem.startswith(
        "rules.yml:17:11: rule `disk-slow` can never fire: `disk-full` (rules.yml:3) has the same"
    )


def test_a_rule_that_gives_every_example_away_can_never_win() -> None:
    other = (
        RULE.replace("disk-full", "disk-slow")
        .replace("No space left", "space left")
        .replace("- '▶", "- wins: disk-full\n        log: '▶")
    )

    (problem,) = told(check_reach(loaded(RULE, other.replace("space left", "pace left", 1))))

    assert "rule `disk-slow` never wins: in each of its `match` examples another rule is believed" in problem


def test_an_annotation_has_no_step() -> None:
    (problem,) = told(check_reach(load_rules(with_field("where: annotation\n  steps: ['Build*']"), "rules.yml")))

    assert problem.startswith("rules.yml:5:12: ")
    assert "an annotation belongs to no step" in problem


def test_a_pattern_of_a_huge_program_is_refused() -> None:
    (problem,) = told(check_bounds(loaded(capturing(r"x(?:[\pL\pN]{12})y", "x")), time.process_time))

    assert problem.startswith("rules.yml:6:11: rule `disk-full` has a pattern of ")
    assert "at most 8,000 are allowed" in problem


def test_a_rule_that_hostile_lines_keep_busy_is_refused() -> None:
    ticks = iter(range(0, 1000, 5))

    (problem,) = told(check_bounds(loaded(), lambda: next(ticks)))

    assert f"takes 5.0 s for {len(HOSTILE) + 1} hostile lines of 8 KB, at most 1 s are allowed" in problem
    assert {LONG - len(line) for line in HOSTILE} <= set(range(100))


def test_a_machine_that_was_busy_once_is_no_fault_of_the_rule() -> None:
    ticks = iter([0.0, 5.0, 5.0, 5.1])

    assert told(check_bounds(loaded(), lambda: next(ticks))) == []


def test_a_pattern_without_a_word_is_named() -> None:
    (problem,) = told(check_words(loaded(capturing(r"\d+%? \w\w", "40% us"))))

    assert problem.startswith("rules.yml:6:11: rule `disk-full` has a pattern without a text of three letters")


def test_an_expired_rule_is_named() -> None:
    rules = load_rules(with_field("expires: 2027-01-31"), "rules.yml")

    assert told(check_days(rules, date(2027, 1, 31))) == []
    (problem,) = told(check_days(rules, date(2027, 2, 1)))
    assert problem.startswith("rules.yml:4:14: rule `disk-full` expired after 2027-01-31")


def test_the_command_tells_everything_at_once_in_file_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, log = tmp_path / "rules.yml", tmp_path / "good.log"
    twin = RULE.replace("disk-full", "our-twin")
    old = capturing(r"died with pid (?P<it>\d+)", "worker died with pid ‹4711›").replace("disk-full", "our-old")
    path.write_text(rules_file(RULE.replace("disk-full", "our-disk"), twin, f"{old}  expires: 2020-01-31\n"))
    log.write_text("worker died with pid 12, as it should\n")

    assert main(["rules", "check", str(path), "--passing", str(log)]) == 2

    said = capsys.readouterr().err.replace(str(path), "rules.yml").splitlines()
    assert said[0].startswith("triage: warning: rules.yml:35:14: rule `our-old` expired after 2020-01-31")
    assert [line.removeprefix("triage: ").split(" ")[0] for line in said[1:]] == [
        "rules.yml:17:11:",
        "rules.yml:20:11:",
        "rules.yml:28:11:",
        "rules.yml:31:11:",
    ]
    assert "shows in the passing log" in said[3]


def test_the_rules_that_settings_name_are_checked_with_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / ".github"
    folder.mkdir()
    settings = folder / "triage.yml"
    settings.write_text("version: 1\nrules:\n  files: [ci/rules.yml]\n")
    (tmp_path / "ci").mkdir()
    (tmp_path / "ci" / "rules.yml").write_text(rules_file(RULE.replace("disk-full", "our-disk")))

    assert main(["rules", "check", str(settings)]) == 0
    assert capsys.readouterr().out.startswith("1 rule with 2 examples: all hold; silent on 6 passing logs")
