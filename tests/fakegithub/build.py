"""Writes the recorded runs under `tests/fixtures/runs` from the short descriptions under `tests/fixtures/cases`.

    python -m tests.fakegithub.build [CASE ...]

Everything in a recording but `expect.yaml` and `expected/` comes from here, and the same description always gives
the same bytes.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.fakegithub.story import Story
from tests.fakegithub.write import write_recording

FIXTURES = Path(__file__).parent.parent / "fixtures"
CASES = FIXTURES / "cases"
RUNS = FIXTURES / "runs"
KEPT = frozenset({"expect.yaml", "expected", "README.md"})


def read_case(name: str) -> Story:
    """Read the description of a case; `like: NAME` takes what it leaves out from `like/NAME.yaml`."""
    given = _read(f"{name}.yaml")
    shared = _read(f"like/{given['like']}.yaml") if "like" in given else {}
    return Story(name=name, given={**shared, **given}, folder=CASES)


def _read(name: str) -> dict[str, Any]:
    given: dict[str, Any] = yaml.safe_load((CASES / name).read_text(encoding="utf-8"))
    return given


def build(name: str, into: Path) -> None:
    """Write the recording of a case into its folder, in place of what was there."""
    folder = into / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name in KEPT:
            continue
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink()
    write_recording(read_case(name), folder)


def names() -> tuple[str, ...]:
    """Return the names of all cases."""
    return tuple(sorted(path.stem for path in CASES.glob("*.yaml")))


def main(wanted: list[str]) -> None:
    """Build the cases named, or all."""
    for name in wanted or names():
        build(name, RUNS)


if __name__ == "__main__":
    main(sys.argv[1:])
