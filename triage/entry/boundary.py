"""The one place where an error becomes a sentence and an exit code.

| what happened | who can mend it | exit |
| --- | --- | --- |
| report made, whatever it says | | 0 |
| `--fail-on` met | the reader | 1 |
| `UsageError`, `ConfigError` | the caller, the author of a file | 2 |
| `ProviderError` | GitHub, a token, the network | 3 |
| anything else | we | 70 |
| Ctrl-C | | 130 |
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from triage import __version__
from triage.entry.output import say
from triage.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Callable

OUR_FAULT = 70
INTERRUPTED = 130
BROKEN_PIPE = 141


def guarded(command: Callable[[], int]) -> int:
    """Run a command; print what went wrong to stderr, for the person who can mend it, and return the exit code."""
    try:
        return command()
    except TriageError as error:
        say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`triage … | head`): nobody is left to tell.
        sys.stderr.close()
        return BROKEN_PIPE
    except Exception:  # noqa: BLE001  the boundary: what nobody expected becomes a report that can be pasted
        say(crash_report())
        return OUR_FAULT


def crash_report() -> str:
    """Write what nobody expected as lines that can be pasted, secrets masked."""
    import platform
    import traceback

    from triage.redact import redact

    return (
        "this is a mistake in triage itself, and no verdict on your change.\n"
        "Please report it with the lines below.\n\n"
        f"triage {__version__}, Python {platform.python_version()}, {platform.system()}\n"
        f"{redact(traceback.format_exc())}"
    )
