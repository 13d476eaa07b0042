"""The reference says what the schema says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from triage.model import Category, EvidenceKind, Fault, LogState, Rerun, Verdict

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "report-json.md").read_text()
SCHEMA: dict[str, Any] = json.loads((ROOT / "triage" / "report" / "schema.json").read_text())


@pytest.mark.parametrize("name", ["cause", "job", "evidence", "action", "failed_test", "run", "pull_request", "log"])
def test_every_key_is_documented(name: str) -> None:
    for key in SCHEMA["$defs"][name]["properties"]:
        assert f"`{key}`" in DOCS or f"`{key}[]`" in DOCS, f"{name}.{key} is not in docs/report-json.md"


def test_every_key_of_the_report_is_documented() -> None:
    for key in SCHEMA["properties"]:
        assert f"`{key}`" in DOCS or f"`{key}[]`" in DOCS, f"{key} is not in docs/report-json.md"


def test_the_schema_knows_every_value_that_the_product_has() -> None:
    definitions = SCHEMA["$defs"]

    assert set(SCHEMA["properties"]["verdict"]["enum"]) == {one.value for one in Verdict}
    assert set(definitions["category"]["enum"]) == {one.value for one in Category}
    assert set(definitions["fault"]["enum"]) == {one.value for one in Fault}
    assert set(definitions["evidence"]["properties"]["kind"]["enum"]) == {one.value for one in EvidenceKind}
    assert set(definitions["cause"]["properties"]["rerun"]["enum"]) == {one.value for one in Rerun}
    assert set(definitions["job"]["properties"]["log"]["enum"]) == {one.value for one in LogState}
