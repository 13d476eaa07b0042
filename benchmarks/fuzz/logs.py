"""Coverage-guided fuzzing of the log reader and of every test extractor.

    python -m pip install atheris
    python -m benchmarks.fuzz.logs CORPUS -max_total_time=600 -max_len=20000

CORPUS is a folder that grows; begin it with logs of failed jobs. Whatever raises is a finding.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["triage"]):
    from triage.logs import TEST_TRIGGERS, BytesSource, read_log, read_tests
    from triage.matching import Scanner
    from triage.redact import redact
    from triage.signature import normalise, signature_of_test

SCANNER = Scanner(TEST_TRIGGERS)


def one(data: bytes) -> None:
    """Read bytes as a log, and hold what came of it to what is promised."""
    log = read_log(BytesSource("fuzz", data), SCANNER)
    numbers = [line.number for line in log.lines]
    assert numbers == sorted(set(numbers))
    assert not numbers or numbers[-1] <= log.total_lines
    for test in read_tests(log).failures:
        signature_of_test(test)
        assert test.first_line <= test.last_line
    for line in log.lines[:50]:
        known = normalise(line.text)
        assert normalise(known) == known
        assert redact(redact(line.text)) == redact(line.text)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
