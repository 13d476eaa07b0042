"""One target under atheris: `python -m benchmarks.fuzz` starts it. It needs `requirements/fuzz.txt`."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import atheris

with atheris.instrument_imports(include=["triage"]):
    import triage.logs
    import triage.matching
    from benchmarks.fuzz.targets import TARGETS

    # Much is imported at first use only; what is imported later than here has no coverage that would guide.
    for package in (triage.logs, triage.matching):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)

if __name__ == "__main__":
    # libFuzzer starts itself again to merge, by these words.
    itself = f"{sys.executable} -m benchmarks.fuzz.instrumented {sys.argv[1]}"
    atheris.Setup([itself, *sys.argv[2:]], TARGETS[sys.argv[1]])
    atheris.Fuzz()
