"""What single lines of pytest's output say. Each pattern is one pass over the line."""

from __future__ import annotations

from dataclasses import dataclass

from triage.regex import regex

_SECTION = regex(r"={2,}\s([^=].{0,80}?)\s={2,}$")
_TITLE = regex(r"_+ (\S.*\S|\S) _+$")
_FINAL = regex(
    r"(=*) ?((?:no tests ran|no tests collected|\d+ [a-z]+(?: [a-z]+)?(?:, \d+ [a-z]+(?: [a-z]+)?)*)[a-z0-9, ()]{0,60})"
    r" in \d[\d.:]* ?(?:s|seconds?|sec)?(?: \([\d:, a-z]{1,30}\))? ?=*$"
)
_COUNT = regex(r"(\d{1,9}) ([a-z]+(?: [a-z]+)?)")
_STATUS = (
    r"PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN|XFAILED|XPASSED|SUBPASS|SUBFAIL|SUBPASSED|SUBFAILED|SUBSKIPPED"
)
_SUMMARY = regex(rf"({_STATUS})(?:\([^)]{{0,200}}\)| ?\[[^\]]{{0,200}}\])? (\S+\.\w{{1,6}}\b.*|\S+::.*)$")
_PROGRESS = regex(rf"([^\s:]+::\S.*?) ({_STATUS})(?:\([^)]{{0,200}}\))?(?: |$)")
_PROGRESS_OF_WORKER = regex(rf"\[gw\d+\] (?:\[ *\d+%\] )?({_STATUS}) (\S+::.*\S|\S+)\s*$")
_STARTED = regex(r"([^\s:]+\.py::\S+)(?: |$)")
_RESULT_ALONE = regex(rf"({_STATUS})(?: \[[^\]]{{0,40}}\]){{0,2}}\s*$")
_DOTS = regex(r"(?:\S+\.py )?[.FEsxXRpPuU,-]+\s+\[ *\d+%\]")
_CAPTURED = regex(r"-{3,} ?(?:Captured|Live) \w+(?: \w+)* ?-{3,}$")
_COLLECTED = regex(r"(?:collecting \.\.\. ?)?collected (\d{1,9}) items?(?: / (.{0,200}))?")
_DESELECTED = regex(r"(\d{1,9}) deselected")
_WORKERS = regex(r"\d+ workers \[(\d{1,9}) items?\]|gw0 \[(\d{1,9})\]")
_MENDED = regex(r"(\S{1,300}) passed \d+ out of the required \d+ times\. Success!")
_CRASHED = regex(r"worker '?(gw\d+)'? crashed while running '(.+)'")

EXECUTED = ("passed", "failed", "xfailed", "xpassed")
FAILED_STATUS = frozenset({"FAILED", "ERROR", "SUBFAIL", "SUBFAILED"})


@dataclass(frozen=True, slots=True)
class Told:
    """A test's result as one line told it: the status word, the node id, and what the summary adds."""

    status: str
    id: str
    message: str = ""


def section_of(text: str) -> str | None:
    """Return the title of a `==== title ====` line."""
    if not text.startswith("=="):
        return None
    found = _SECTION.match(text)
    return found[1] if found else None


def title_of(text: str) -> str | None:
    """Return the title of a `____ title ____` line, which begins the block of one failure."""
    if not text.startswith("_") or not text.endswith("_") or text.startswith("_ _"):
        return None
    found = _TITLE.match(text)
    # Long titles leave one underscore on each side; then the line is longer than any other text framed so.
    return found[1] if found and (text.startswith("___") or len(text) > 70) else None


def counts_of(text: str) -> tuple[dict[str, int], bool] | None:
    """Return the numbers of a final line, and whether it is framed by `=`: without `-q` it is."""
    if " in " not in text or not (text.startswith(("=", "no tests")) or text[:1].isdigit()):
        return None
    found = _FINAL.match(text)
    if found is None:
        return None
    numbers = {what.removesuffix("s") if what != "passed" else what: int(n) for n, what in _COUNT.findall(found[2])}
    if not numbers and not found[2].startswith("no tests"):
        return None
    known = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "deselected", "warning", "rerun")
    return (numbers, bool(found[1])) if not numbers or any(what in numbers for what in known) else None


def told_by_summary(text: str) -> Told | None:
    """Read a line of the short summary: `FAILED tests/x.py::test_y - why`."""
    if not text[:1].isupper():
        return None
    found = _SUMMARY.match(text)
    if found is None:
        return None
    node, message = _split_message(found[2])
    return Told(found[1], node, message)


def _split_message(text: str) -> tuple[str, str]:
    """Part a node id from the message after ` - `, which may stand in a parameter too."""
    opens, dash = text.find("["), text.find(" - ")
    if 0 <= opens < dash:
        closes = text.find("] - ", opens)
        if closes < 0:
            return (text, "") if text.endswith("]") else (text[:dash], text[dash + 3 :])
        return text[: closes + 1], text[closes + 4 :]
    return (text, "") if dash < 0 else (text[:dash], text[dash + 3 :])


def told_by_progress(text: str) -> Told | None:
    """Read a line of progress: `tests/x.py::test_y PASSED [ 5%]`, `[gw1] [ 5%] FAILED tests/x.py::test_y`."""
    if "::" not in text:
        return None
    if text.startswith("[gw"):
        found = _PROGRESS_OF_WORKER.match(text)
        return Told(found[1], found[2]) if found else None
    found = _PROGRESS.match(text)
    return Told(found[2], found[1]) if found else None


def started_test(text: str) -> str | None:
    """Return the test that a line of progress names though its result has not come: output or a crash followed."""
    found = _STARTED.match(text) if "::" in text else None
    return found[1] if found else None


def result_alone(text: str) -> str | None:
    """Return the status of a line that gives nothing else: the test it belongs to printed something since it began."""
    if not text[:1].isupper():
        return None
    found = _RESULT_ALONE.match(text)
    return found[1] if found else None


def is_dots(text: str) -> bool:
    """Whether the line is progress of the short kind: `..F. [ 40%]`."""
    return text.rstrip().endswith("%]") and _DOTS.match(text) is not None


def is_captured(text: str) -> bool:
    """Whether the line heads what a test printed: `---- Captured stdout call ----`."""
    return text.startswith("---") and _CAPTURED.match(text) is not None


def collected(text: str) -> int | None:
    """Return how many tests were chosen to run."""
    found = _COLLECTED.match(text)
    if found:
        without = _DESELECTED.search(found[2] or "")
        return int(found[1]) - (int(without[1]) if without else 0)
    found = _WORKERS.match(text)
    return int(found[1] or found[2]) if found else None


def crashed_worker(text: str) -> tuple[str, str] | None:
    """Return worker and test of `worker 'gw1' crashed while running 'tests/x.py::test_y'`."""
    found = _CRASHED.search(text) if "crashed while running" in text else None
    return (found[1], found[2]) if found else None


def mended_test(text: str) -> str | None:
    """Return the test of which the flaky plugin says that it passed after it had failed."""
    found = _MENDED.match(text.strip()) if "out of the required" in text else None
    return found[1] if found else None
