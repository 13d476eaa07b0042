"""Coverage-guided fuzzing of the log reader, of every test extractor, and of masking and signatures.

    make fuzz                                                  # every target for a minute
    python -m benchmarks.fuzz reader --seconds 600
    python -m benchmarks.fuzz reader --seconds 600 --keep      # and keep what reached new code in the corpus

It begins with the corpus of the target and with the logs that the tests of the extractors read. What it finds on its
way lies in `.fuzz`; an input that makes triage raise is written to `crash-…`, and ends it with an exit code.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks.fuzz.targets import CORPUS, TARGETS

ROOT = Path(__file__).parent.parent.parent
LONGEST = 6_000
LONGEST_KEPT = 1_500
# Of one input; a normal one takes milliseconds.
SLOWEST = 20
SEEDS = (ROOT / "tests" / "logs" / "tests_python" / "logs", ROOT / "tests" / "logs" / "tests_other" / "logs")


def main() -> None:
    options = _options()
    found, kept = ROOT / ".fuzz" / options.target, CORPUS / options.target
    for folder in (found, kept):
        folder.mkdir(parents=True, exist_ok=True)
    code = _run(options.target, f"-max_total_time={options.seconds}", found, kept, *SEEDS)
    if options.keep and not code:
        # By code alone, not by how often it ran: the corpus stays small.
        code = _run(options.target, "-merge=1", "-use_counters=0", f"-max_len={LONGEST_KEPT}", kept, found)
    sys.exit(code)


def _run(target: str, *arguments: str | Path) -> int:
    """Fuzz in a process of its own: libFuzzer ends the one it runs in."""
    limits = (f"-max_len={LONGEST}", f"-timeout={SLOWEST}", "-rss_limit_mb=2048", "-print_final_stats=1")
    words = [sys.executable, "-m", "benchmarks.fuzz.instrumented", target, *limits, *map(str, arguments)]
    return subprocess.run(words, cwd=ROOT, check=False).returncode


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="how long (default %(default)s)")
    parser.add_argument("--keep", action="store_true", help="add what reached new code to the corpus")
    return parser.parse_args()


if __name__ == "__main__":
    main()
