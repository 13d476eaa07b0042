"""Law 2: which reading of a job may be decided on at all.

The author of a change controls what its tests print. So once a test failed, a reading that excuses is believed only
when it was made from the error of every failed test; any other text, and even the platform's word that the job was
stopped, leaves the failed test standing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.decide.reach import failed_tests
from triage.decide.sentences import quoted
from triage.model import Basis, Fault, Where
from triage.signature import signature_of_test

if TYPE_CHECKING:
    from triage.model import Failure

BLAMES_SOMEBODY = frozenset({Fault.CODE, Fault.UNKNOWN, Fault.NONE})


def believable(failure: Failure) -> Failure:
    """Return the failure as it may be decided on: a code failure when its excuse does not cover its failed tests."""
    if failure.fault in BLAMES_SOMEBODY or not failed_tests(failure) or _is_of_the_tests(failure):
        return failure
    tests = failed_tests(failure)
    title = (
        f"{quoted(tests[0].id)} fails" if len(tests) == 1 else f"{len(tests)} tests fail, first {quoted(tests[0].id)}"
    )
    signature = signature_of_test(tests[0])
    return replace(
        failure,
        fault=Fault.CODE,
        basis=Basis.TESTS,
        rule=None,
        title=title,
        signature=signature,
        roots=(),
        ruled_out=(),
    )


def _is_of_the_tests(failure: Failure) -> bool:
    """Whether the reading was made from the very error of every failed test, by a rule or by GPU memory arithmetic."""
    if failure.basis is not Basis.RULE:
        return False
    if failure.rule is None:
        return failure.fault is Fault.GPU_RESIDUE
    return failure.fault in {Fault.INFRASTRUCTURE, Fault.GPU_RESIDUE} and failure.rule.where in {
        Where.TEST_ERROR,
        Where.SETUP_ERROR,
    }
