"""What is made from the table of keys is current, and says the same as the loader."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.settings.test_load import ALL
from triage.settings import load_settings
from triage.settings.compile import main, products, schema

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


def test_schema_and_docs_are_current() -> None:
    assert main(["--check"]) == 0
    assert all(path.is_file() for path in products())


def test_the_schema_is_one_and_takes_what_the_loader_takes() -> None:
    jsonschema.Draft202012Validator.check_schema(dict(schema()))
    # In YAML 1.2, which editors read, `off` is a text.
    jsonschema.validate(yaml.safe_load(ALL.replace("when: off", "when: 'off'")), dict(schema()))


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"version": 2},
        {"version": 1, "secrets": {}},
        {"version": 1, "rules": {"files": ["../x"]}},
        {"version": 1, "compare": {"window_days": 0}},
        {"version": 1, "labels": [{"command": "/x"}]},
        {"version": 1, "commands": {"rerun": {"author": True}}},
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(wrong: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(json.dumps(wrong)), dict(schema()))


def test_the_example_of_the_docs_is_a_right_file() -> None:
    example = re.findall(r"```yaml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)

    assert len(example) == 1
    assert load_settings(example[0]).labels[0].label == "run-ci-extra"
