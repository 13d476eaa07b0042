"""What fuzzing found, and what it begins with: every input of the corpus, and any bytes, through its target."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fuzz.targets import CORPUS, TARGETS
from tests.reliability.sites import EVERY

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 500_000
INPUTS = sorted(path for path in CORPUS.glob("*/*") if path.is_file())
# What once broke something has a name of words, and is always tried; of what only reached new code, a part.
NUMBERED = re.compile(r"[0-9a-f]{40}")
TRIED = [path for place, path in enumerate(INPUTS) if place % EVERY == 0 or not NUMBERED.fullmatch(path.name)]


def test_every_target_has_a_corpus_and_all_of_them_are_small() -> None:
    assert {path.parent.name for path in INPUTS} == set(TARGETS)
    assert sum(path.stat().st_size for path in INPUTS) < MOST_BYTES


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_of_the_corpus_breaks_its_target(target: str) -> None:
    broken: dict[str, str] = {}
    for path in TRIED:
        if path.parent.name == target and (why := _raised(path, target)):
            broken[path.name] = why

    assert broken == {}


def _raised(path: Path, target: str) -> str:
    try:
        TARGETS[target](path.read_bytes())
    except Exception as error:  # noqa: BLE001  whatever it raises is what is looked for
        return repr(error)
    return ""


@pytest.mark.parametrize("target", TARGETS)
@given(data=st.binary(max_size=300))
def test_no_bytes_break_a_target(target: str, data: bytes) -> None:
    assert TARGETS[target](data) is None  # it raises, or all is well
