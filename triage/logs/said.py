"""What a line says behind what programs put in front of it: which of them spoke, when, and how grave it is.

The line that is quoted stays as it is; this is for looking at it. A level is only taken off where it says that
something went wrong: behind `INFO` nothing looks like an error.
"""

from __future__ import annotations

from triage.regex import regex

MOST = 6
"""Things that stand in front of one line at the most."""

_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_MOMENT = rf"\d{{4}}[-/]\d\d[-/]\d\d[T ]{_TIME}(?:Z| ?[+-]\d\d:?\d\d)?"
_GRAVE = r"(?:ERROR|CRITICAL|FATAL|SEVERE)"

PREFIXES: tuple[str, ...] = (
    # Which process, rank or worker spoke: engines, ray, torchrun, xdist, mpirun.
    r"\((?:[\w.:<>/-]+[ ,]+){0,4}(?:pid|ip|rank|local_rank|worker|node|actor|tid)=[^()]{1,80}\) ?",
    r"\((?:raylet|autoscaler|gcs_server|dashboard|pid \d+)\) ",
    r"\[(?!Errno)(?:[A-Za-z_]{1,20}[ :=_-]?)?\d{1,6}(?:,\d{1,6})?\](?:<std(?:err|out)>)?: ?",
    r"\[(?:gw|rank|TP|PP|DP|EP|default|worker|node)[ _]?\d{1,4}\] ?",
    # Which container or service: compose.
    r"[a-z][\w.-]{0,40}(?: +| *-\d+ +)\| ",
    # When; some write behind it who, too.
    rf"\[{_MOMENT}(?: +(?:[A-Z]{{2}}\d{{1,3}}|{_GRAVE}|E)){{0,4}}\]:? ?",
    rf"{_MOMENT},? (?:- )?",
    rf"\[{_TIME}Z?\] ",
    # How grave, and where in the program: vLLM, glog, pytest's captured log, logging, JSON-less servers.
    rf"{_GRAVE} \d\d-\d\d {_TIME} \[[^\]]{{1,80}}\] ?",
    rf"[EF]\d{{4}} {_TIME} +\d+ [^\]]{{1,160}}\] ?",
    rf"{_GRAVE} {{1,5}}[\w.]{{1,80}}:[\w./-]{{1,120}}:\d+ ",
    rf"[\w.:-]{{1,60}} - {_GRAVE} - (?:[\w.:-]{{1,60}} - )?",
    rf"\[{_GRAVE}\] \[[^\]]{{1,80}}\] ",
    # Native libraries: of NCCL's levels WARN is the gravest; ONNX Runtime, TensorRT, Ascend.
    r"\S{1,120}:\d+:\d+ \[\d+\] (?:\S{1,120}:\d+ )?NCCL WARN ",
    r"\[[EF]:\w+:[^\]]{0,160}\] ",
    r"\[(?:TRT|TensorRT)\] \[[EF]\] |\[[EF]\] \[(?:TRT|TensorRT)\] ",
)
"""What is taken off the start of a line, one after the other, until none fits any more."""

_ONE = "|".join(f"(?:{prefix})" for prefix in PREFIXES)
_ALL = regex(rf"(?:{_ONE}){{1,{MOST}}}")


def said(text: str) -> str:
    """Return the words of a line without what stands in front of them; the whole line where nothing does."""
    found = _ALL.match(text)
    rest = text[found.end() :] if found else text
    return rest if rest.strip() else text
