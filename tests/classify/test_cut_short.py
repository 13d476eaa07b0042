"""A file that has not the hash that the index tells was cut short. Else the repository's own hash may be wrong."""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Failure, Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
TOLD, OTHER = "a" * 64, "b" * 64
INDEX = "https://files.index.example/packages/3a/9c/b1f3/tomlkit-0.13.2-py3-none-any.whl"
HEADING = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the versions"


def package(*, expected: str, got: str, address: str = f"{INDEX}#sha256={TOLD}", name: str = "tomlkit==0.13.2") -> str:
    return (
        f"    {name} from {address} (from -r requirements.txt (line 1)):\n"
        f"        Expected sha256 {expected}\n             Got        {got}\n\n"
    )


def failure_of(*packages: str, after: str = "") -> Failure:
    text = (
        "##[group]Run pip install -r requirements.txt\n##[endgroup]\n"
        f"{HEADING}\n{''.join(packages)}{after}##[error]Process completed with exit code 1.\n"
    )
    log = read_log(TextSource("job.log", text), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER)


CUT = package(expected=TOLD, got=OTHER)


def test_a_file_that_has_not_the_hash_that_the_index_tells_was_cut_short() -> None:
    failure = failure_of(CUT)
    assert (failure.fault, failure.title) == (
        Fault.INFRASTRUCTURE,
        "A package arrived cut short from the Python package index",
    )
    assert [fact.text.split()[0] for fact in failure.evidence] == ["ERROR:", "tomlkit==0.13.2", "Expected", "Got"]


@pytest.mark.parametrize(
    "listed",
    [
        pytest.param([package(expected=OTHER, got=TOLD)], id="the file is whole, and the written hash is another's"),
        pytest.param([package(expected=TOLD, got=OTHER, address=INDEX)], id="the address tells no hash"),
        pytest.param([CUT, package(expected=OTHER, got=TOLD)], id="one of two is whole"),
        pytest.param([CUT, package(expected=TOLD, got=OTHER, address=INDEX)], id="of one of two nothing is told"),
        pytest.param(
            [package(expected=TOLD, got=OTHER, name=f"tomlkit@ {INDEX}#sha256={TOLD}")],
            id="the repository asks for an address with a hash of its own",
        ),
        pytest.param(
            [package(expected=TOLD, got=OTHER, address=f"https://acme.example/dl/tomlkit.whl#sha256={TOLD}")],
            id="no index offers it",
        ),
    ],
)
def test_else_nobody_is_excused(listed: list[str]) -> None:
    assert failure_of(*listed).fault is Fault.UNKNOWN


def test_what_else_is_blamed_for_the_failure_is_not_excused_with_it() -> None:
    assert failure_of(CUT, after="src/a.py:1:8: F401 `os` imported but unused\n").fault is not Fault.INFRASTRUCTURE
