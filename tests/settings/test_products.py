"""What is made from the table of keys is current, and says the same as the loader."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.settings.documents import ONLY_THE_LOADER_KNOWS, RIGHT, WRONG
from tests.settings.test_load import ALL
from triage.errors import ConfigError
from triage.settings import BUILT_IN, load_settings
from triage.settings.compile import main, products, schema

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


def test_schema_and_docs_are_current() -> None:
    assert main(["--check"]) == 0
    assert all(path.is_file() for path in products())


def test_the_schema_is_one_and_takes_what_the_loader_takes() -> None:
    jsonschema.Draft202012Validator.check_schema(dict(schema()))
    # In YAML 1.2, which editors read, `off` is a text.
    jsonschema.validate(yaml.safe_load(ALL.replace("when: off", "when: 'off'")), dict(schema()))


@pytest.mark.parametrize("name", RIGHT)
def test_the_schema_and_the_loader_take_the_same(name: str) -> None:
    jsonschema.validate(yaml.safe_load(RIGHT[name]), dict(schema()))

    assert load_settings(RIGHT[name]) is not BUILT_IN


@pytest.mark.parametrize("name", WRONG)
def test_the_schema_and_the_loader_refuse_the_same(name: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(WRONG[name]), dict(schema()))
    with pytest.raises(ConfigError):
        load_settings(WRONG[name])


@pytest.mark.parametrize("name", ONLY_THE_LOADER_KNOWS)
def test_what_no_schema_can_say_the_loader_refuses(name: str) -> None:
    jsonschema.validate(yaml.safe_load(ONLY_THE_LOADER_KNOWS[name]), dict(schema()))

    with pytest.raises(ConfigError):
        load_settings(ONLY_THE_LOADER_KNOWS[name])


def test_the_example_of_the_docs_is_a_right_file() -> None:
    example = re.findall(r"```yaml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)

    assert len(example) == 1
    assert load_settings(example[0]).labels[0].label == "run-ci-extra"
