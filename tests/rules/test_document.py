from __future__ import annotations

import time

import pytest

from tests.rules.yaml_rules import RULE, rules_file
from triage.errors import ConfigError
from triage.rules import load_rules
from triage.rules.document import FOREIGN_BYTES, MAX_DEPTH


def problems_of(text: str) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        load_rules(text, "rules.yaml")
    return [str(problem) for problem in raised.value.problems]


def test_a_bomb_of_aliases_is_refused_before_anything_is_walked() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]

    began = time.perf_counter()
    found = problems_of("\n".join([*levels, "rules: *a9"]))

    assert time.perf_counter() - began < 1
    assert found[0] == "rules.yaml:1:5: `&a0` is an anchor; write the value out where it is needed"
    assert any("`*a0` is an alias; write the value out" in problem for problem in found)


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!!str", "!include"])
def test_a_tag_gives_a_value_no_other_meaning(tag: str) -> None:
    (problem,) = problems_of(rules_file(RULE.replace("title: The", f"title: {tag} The")))

    assert problem.startswith("rules.yaml:4:12: ")
    assert "is a tag; values are plain text here" in problem


def test_a_file_of_more_than_256_kb_is_not_read() -> None:
    (problem,) = problems_of(rules_file() + "#" * FOREIGN_BYTES)

    assert problem.endswith("at most 262,144 are read")


def test_a_file_of_256_kb_is_read() -> None:
    text = rules_file() + "\n"

    rules = load_rules(text + "#" * (FOREIGN_BYTES - len(text.encode())), "rules.yaml")

    assert [rule.id for rule in rules.rules] == ["disk-full"]


@pytest.mark.parametrize("nested", ["- " * 100, "[" * 100_000, "{a: " * 100])
def test_nesting_without_end_is_refused(nested: str) -> None:
    (problem,) = problems_of(nested)

    assert f"nested more than {MAX_DEPTH} levels deep" in problem or "exceeded maximum nesting depth" in problem


def test_a_second_document_is_refused() -> None:
    (problem,) = problems_of(rules_file() + "\n---\nversion: 1\n")

    assert "a second document begins here" in problem
    assert problem.startswith("rules.yaml:14:1: ")


def test_a_key_that_stands_twice_does_not_silently_keep_the_last() -> None:
    (problem,) = problems_of(rules_file(RULE.replace("  title:", "  title: A full disk\n  title:")))

    assert problem == "rules.yaml:5:5: `title` stands here twice; YAML would silently keep the last"


def test_a_key_that_yaml_reads_as_something_else_is_a_mistake() -> None:
    found = problems_of(rules_file(RULE.replace("  title:", "  on: x\n  title:")))

    (problem,) = found
    assert problem.startswith("rules.yaml:4:5: a key must be text, and this is `on`, which YAML reads as a boolean")
