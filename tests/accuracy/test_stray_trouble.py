"""Trouble that a job outlived excuses nothing: words of one log's machine, put into a log of another's code."""

from __future__ import annotations

import gzip
from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from tests.accuracy.test_labelled import LABELLED, SETS
from triage.classify import make_scanner
from triage.evaluate import Case, answer, load_cases
from triage.matching import split_stamp
from triage.model import Fault
from triage.rules import builtin_rules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RULES = builtin_rules()
SCANNER = make_scanner(RULES)

WORK_GOES_ON = tuple(f"copied plan {number} of 12 to the stage".encode() for number in range(1, 13))


def raw_lines(case: Case) -> list[bytes]:
    assert case.log is not None
    raw = case.log.read_bytes()
    return (gzip.decompress(raw) if case.log.suffix == ".gz" else raw).split(b"\n")


def key_places(case: Case) -> Iterator[int]:
    """Yield the indices of the lines that explain the failure."""
    for place, line in enumerate(raw_lines(case)):
        text = " ".join(line.decode("utf-8", "replace").split())
        if any(key in text for key in case.key_lines):
            yield place


def troubles() -> tuple[bytes, ...]:
    """Return the lines by which machines broke in the labelled logs."""
    cases = (case for case in load_cases(LABELLED) if case.label in {"infrastructure", "gpu-residue"} and case.log)
    return tuple(
        dict.fromkeys(split_stamp(raw_lines(case)[place])[1] for case in cases for place in list(key_places(case))[:1])
    )


def outlived(case: Case, trouble: bytes, folder: Path) -> Case:
    """Return the case with a machine's trouble long before the failure, after which the job worked on."""
    lines = raw_lines(case)
    at = next(key_places(case)) // 3
    stamp = split_stamp(lines[at])[0]
    added = [stamp + b" " + line if stamp else line for line in (trouble, *WORK_GOES_ON)]
    log = folder / f"{case.id}.log"
    log.write_bytes(b"\n".join([*lines[:at], *added, *lines[at:]]))
    return replace(case, log=log)


@pytest.mark.parametrize("name", SETS)
def test_trouble_that_a_job_outlived_excuses_no_failure_of_the_code(name: str, tmp_path: Path) -> None:
    cases = (case for case in load_cases(LABELLED / name) if case.label == "code" and not case.contested and case.log)
    cases_with_key = [case for case in cases if any(key_places(case))]
    excused = [
        (case.id, trouble)
        for case, trouble in zip(cases_with_key, cycle(troubles()), strict=False)
        if answer(outlived(case, trouble, tmp_path), RULES, SCANNER).failure.fault not in {Fault.CODE, Fault.UNKNOWN}
    ]

    assert cases_with_key
    assert excused == []
