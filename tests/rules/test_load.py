from __future__ import annotations

from datetime import date

import pytest

from tests.rules.yaml_rules import RULE, rules_file, with_field
from triage.errors import ConfigError
from triage.matching import Scanner
from triage.model import Fault, Rerun, Where
from triage.rules import load_rules, matches, read_text


def problems_of(text: str) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        load_rules(text, "rules.yaml")
    return [str(problem) for problem in raised.value.problems]


def test_a_rule_is_read_with_its_place_and_its_examples() -> None:
    rules = load_rules(rules_file(), "rules.yaml")

    (rule,) = rules.rules
    assert (rule.id, rule.title, rule.fault) == ("disk-full", "The disk is full", Fault.INFRASTRUCTURE)
    assert rule.lines == ("No space left on device",)
    assert rule.place == "rules.yaml:3"
    assert [(example.place, example.why) for example in rules.examples] == [
        ("rules.yaml:9", None),
        ("rules.yaml:11", "there is space"),
    ]


def test_a_log_is_scanned_for_the_line_that_decides() -> None:
    text = rules_file(
        RULE.replace("line: 'No space left on device'", "lines: ['write error', 'No space']\n  unless: ['quota']")
    )

    patterns = load_rules(text, "rules.yaml").patterns()

    assert dict(patterns) == {"rule:disk-full": "No space"}


def test_what_a_rule_does_not_say_has_a_default() -> None:
    (rule,) = load_rules(rules_file(), "rules.yaml").rules

    assert (rule.where, rule.rerun, rule.within, rule.wrapper) == (Where.OUTSIDE_TESTS, Rerun.UNKNOWN, 30, False)


def test_a_rule_that_blames_the_code_may_hold_in_test_output() -> None:
    (rule,) = load_rules(rules_file(RULE.replace("infrastructure", "code")), "rules.yaml").rules

    assert rule.where is Where.ANYWHERE


@pytest.mark.parametrize("fault", ["infrastructure", "gpu-residue", "missing-label", "cascade", "cancelled", "flaky"])
def test_a_rule_that_excuses_may_not_hold_anywhere(fault: str) -> None:
    text = with_field("where: anywhere").replace("fault: infrastructure", f"fault: {fault}")

    (problem,) = problems_of(text)

    assert problem.startswith("rules.yaml:4:12: ")
    assert "could print its own excuse" in problem


def test_several_wordings_become_one_pattern() -> None:
    (rule,) = load_rules(with_field("any: ['full disk', 'No space left']", without="line"), "rules.yaml").rules

    assert rule.lines == ("(?:full disk|No space left)",)


def test_two_wordings_may_capture_under_one_name() -> None:
    text = with_field("any: ['full: (?P<disk>\\w+)', '(?P<disk>\\w+) is full']", without="line")
    rules = load_rules(text, "rules.yaml")

    found = matches(rules, read_text("full: sda\nsdb is full", Scanner(rules.patterns())))

    assert [dict(match.captures) for match in found] == [{"disk": "sda"}, {"disk": "sdb"}]


def test_a_wording_that_begins_the_line_may_stand_beside_one_that_does_not() -> None:
    (rule,) = load_rules(with_field("any: ['^tar: full', 'No space left']", without="line"), "rules.yaml").rules

    assert rule.lines == ("^(?:tar: full|.*?(?:No space left))",)


def test_a_fragment_stands_for_its_pattern() -> None:
    text = rules_file(
        RULE.replace("'No space left on device'", "'No {{thing}} left'"),
        head="version: 1\nfragments:\n  what: 'space|room'\n  thing: '(?:disk )?{{what}}'\n",
    )

    (rule,) = load_rules(text, "rules.yaml").rules

    assert rule.lines == ("No (?:(?:disk )?(?:space|room)) left",)


def test_a_fragment_that_does_not_exist_is_a_mistake() -> None:
    (problem,) = problems_of(rules_file(RULE.replace("'No space", "'No {{thing}}")))

    assert problem == "rules.yaml:6:11: there is no fragment `thing` above; known: none"


def test_every_mistake_is_reported_at_once_in_file_order() -> None:
    text = rules_file(
        """\
        - id: Disk Full
          title: yes
          fault: infra
          line: '(?=x)'
          colour: red
          rerun: helps
          examples:
            match: ['no mark']
        """
    )

    found = problems_of(text)

    assert [problem.split(":")[1] for problem in found] == ["3", "4", "5", "6", "7", "8", "10", "10"]
    assert "kebab-case" in found[0]
    assert "`yes`, which YAML reads as a boolean; put it in quotes" in found[1]
    assert "there is no fault `infra`; known: code, infrastructure" in found[2]
    assert "look-ahead" in found[3]
    assert "a rule has no key `colour`" in found[4]
    assert "`rerun: helps` needs a `rerun_why`" in found[5]
    assert "there is no `no_match` example" in found[6]
    assert "no line begins with `▶ `" in found[7]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("title: on", "reads as a boolean"),
        ("title: 1:30", "reads as a number"),
        ("title: 2026-11-30", "reads as a date"),
        ("title:", "is empty"),
        ("title: [a]", "is a list"),
        ("title: ''", "is blank"),
        ("title: {a: b}", "is a mapping"),
    ],
)
def test_text_is_text_and_nothing_that_yaml_makes_of_it(line: str, sentence: str) -> None:
    (problem,) = problems_of(with_field(line, without="title"))

    assert problem.startswith("rules.yaml:4:")
    assert sentence in problem


@pytest.mark.parametrize(
    ("line", "without", "sentence"),
    [
        ("id: disk-full", None, "stands here twice"),
        ("any: ['x1']", None, "`line` and `any` exclude each other"),
        ("advice: x", "line", "no pattern: give `line`, or `any`, or `lines`"),
        ("advice: x", "title", "the rule has no `title`"),
        ("wrapper: true", None, "a wrapper claims no fault"),
        ("wrapper: yes", None, "must be `true` or `false`"),
        ("where: nowhere", None, "there is no where `nowhere`"),
        ("rerun: maybe", None, "there is no rerun `maybe`"),
        ("docs: http://acme.dev", None, "must be an https address"),
        ("issue: '#12'", None, "must be an https address such as"),
        ("issue: https://acme.dev/a b", None, "must be an https address such as"),
        ("expires: soon", None, "must be a day such as `2027-01-31`, and this is `soon`"),
        ("expires: 2027-02-30", None, "must be a day such as"),
        ("expires: 2027-01-31T10:00:00Z", None, "must be a day such as"),
        ("within: 3", None, "has a meaning with `lines` only"),
        ("within: 0", None, "a whole number above 0"),
        ("unless: []", None, "is an empty list"),
        ("unless: quota", None, "must be a list"),
        ("line: '.*'", "line", "can match no text at all"),
        ("any: ['xyz', '(?i)^abc']", "line", "cannot be joined"),
    ],
)
def test_a_mistake_in_a_rule_says_what_would_be_right(line: str, without: str | None, sentence: str) -> None:
    found = problems_of(with_field(line, without=without))

    assert any(sentence in problem for problem in found), found


def test_an_id_belongs_to_one_rule() -> None:
    (problem,) = problems_of(rules_file(RULE, RULE))

    assert problem == "rules.yaml:14:9: id `disk-full` is taken by the rule in line 3"


def test_an_example_may_say_which_other_rule_wins() -> None:
    text = RULE.replace("- '▶ tar:", "- wins: disk-quota\n        log: '▶ tar:")
    quota = RULE.replace("disk-full", "disk-quota").replace("'No space", "'rite error: No space")

    example, *_ = load_rules(rules_file(text, quota), "rules.yaml").examples

    assert example.wins == "disk-quota"
    (problem,) = problems_of(rules_file(text))
    assert "there is no rule `disk-quota`" in problem


def test_a_file_of_a_stranger_holds_at_most_500_rules() -> None:
    many = [RULE.replace("disk-full", f"disk-full-{number}") for number in range(501)]

    (problem,) = problems_of(rules_file(*many))

    assert "there are 501 rules; at most 500 are read" in problem


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file is empty"),
        ("[]", "the file must be a mapping"),
        ("rules: []", "the file has no `version`"),
        ("version: 1", "the file has no `rules`"),
        ("version: 2\nrules: []", "version must be 1"),
        ("version: 1\nrules: {}", "`rules` must be a list"),
        ("version: 1\nruels: []", "has no key `ruels`"),
        ("version: 1\nrules: [", "not YAML"),
        ("version: 1\nrules: ['\x07']", "not YAML"),
    ],
)
def test_a_file_that_is_no_rules_file_is_refused(text: str, sentence: str) -> None:
    assert any(sentence in problem for problem in problems_of(text))


def test_rules_of_a_repository_come_first_and_replace_those_of_the_same_id() -> None:
    built_in = load_rules(rules_file(RULE, RULE.replace("disk-full", "disk-slow")), "builtin.yaml")
    own = load_rules(rules_file(RULE.replace("The disk is full", "Our disk is full")), "own.yaml")

    both = own.before(built_in)

    assert [(rule.id, rule.title) for rule in both.rules] == [
        ("disk-full", "Our disk is full"),
        ("disk-slow", "The disk is full"),
    ]
    assert {example.place.split(":")[0] for example in both.examples if example.rule == "disk-full"} == {"own.yaml"}
    assert both.sha not in {own.sha, built_in.sha}


@pytest.mark.parametrize("written", ["2027-01-31", "'2027-01-31'"])
def test_a_rule_may_name_its_issue_and_the_last_day_on_which_it_holds(written: str) -> None:
    text = with_field(f"issue: https://github.com/acme/engine/issues/1234\n  expires: {written}")

    (rule,) = load_rules(text, "rules.yaml").rules

    assert (rule.issue, rule.expires) == ("https://github.com/acme/engine/issues/1234", "2027-01-31")


def test_a_rule_holds_on_its_last_day_and_not_on_the_day_after() -> None:
    rules = load_rules(
        rules_file(RULE, with_field("expires: 2027-01-31").split("rules:\n")[1].replace("full", "slow")), "r"
    )

    last, after = date(2027, 1, 31), date(2027, 2, 1)

    assert rules.on(last) is rules
    assert rules.on(None) is rules
    assert [rule.id for rule in rules.on(after).rules] == ["disk-full"]
    assert [rule.id for rule in rules.expired(after)] == ["disk-slow"]
    assert rules.on(after).sha not in {rules.sha, ""}
