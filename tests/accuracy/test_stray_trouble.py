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


def troubles() -> tuple[tuple[bytes, ...], ...]:
    """Return how machines broke in the labelled logs: the line that says so, and what stands round it."""
    cases = (case for case in load_cases(LABELLED) if case.label in {"infrastructure", "gpu-residue"} and case.log)
    return tuple(
        _ended(tuple(_round(raw_lines(case), place))) for case in cases for place in list(key_places(case))[:1]
    )


def _ended(trouble: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Let a run of pytest end that begins there: what stands below was not printed by its tests."""
    is_pytest = any(line.endswith(b" FAILED") or line.startswith((b"E   ", b"=====", b"_____")) for line in trouble)
    return (
        (*trouble, b"==================== 1 failed, 4 passed in 2.20s ====================") if is_pytest else trouble
    )


def _round(lines: list[bytes], place: int) -> Iterator[bytes]:
    for line in lines[max(0, place - 2) : place + 2]:
        text = split_stamp(line)[1]
        if not text.startswith(b"##["):  # where a command begins and ends is told by the log it is put into
            yield text


def _outside_of_command(lines: list[bytes], at: int) -> int:
    """Return the first place from here on that is not among the words of a command, which the runner shows."""
    begun = next((index for index in range(at, -1, -1) if b"##[group]Run " in lines[index]), at)
    ended = next((index for index in range(begun, at) if b"##[endgroup]" in lines[index]), None)
    if begun == at or ended is not None:
        return at
    return next((index + 1 for index in range(at, len(lines)) if b"##[endgroup]" in lines[index]), at)


def outlived(case: Case, trouble: tuple[bytes, ...], folder: Path) -> Case:
    """Return the case with a machine's trouble long before the failure, after which the job worked on."""
    lines = raw_lines(case)
    at = _outside_of_command(lines, next(key_places(case)) // 3)
    stamp = split_stamp(lines[at])[0]
    added = [stamp + b" " + line if stamp else line for line in (*trouble, *WORK_GOES_ON)]
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
