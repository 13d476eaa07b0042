"""What is read of a labelled case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from triage.classify import make_scanner
from triage.evaluate import answer, load_cases
from triage.model import Fault
from triage.rules import builtin_rules

if TYPE_CHECKING:
    from pathlib import Path

NOT_ACQUIRED = "The job was not acquired by Runner of type self-hosted even after multiple attempts"


@pytest.mark.parametrize("given", [NOT_ACQUIRED, {"annotation_level": "failure", "message": NOT_ACQUIRED}])
def test_annotations_are_messages_or_what_the_api_answers(given: object, tmp_path: Path) -> None:
    case = {"id": "gpu-smoke", "label": "starved", "job": {"conclusion": "cancelled"}, "annotations": [given]}
    (tmp_path / "gpu-smoke.yaml").write_text(yaml.safe_dump(case))
    rules = builtin_rules()

    (read,) = load_cases(tmp_path)

    assert answer(read, rules, make_scanner(rules)).failure.fault is Fault.STARVED
