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
_LEVEL = r"(?:ERROR|CRITICAL|FATAL|SEVERE)"

WHO_AND_WHEN: tuple[str, ...] = (
    # Which process, rank or worker spoke: engines, ray, torchrun, xdist, mpirun.
    r"\((?:[\w.:<>/-]+[ ,]+){0,4}(?:pid|ip|rank|local_rank|worker|node|actor|tid)=[^()]{1,80}\) ?",
    r"\((?:raylet|autoscaler|gcs_server|dashboard|pid \d+)\) ",
    r"\[(?!Errno)(?:[A-Za-z_]{1,20}[ :=_-]?)?\d{1,6}(?:,\d{1,6})?\](?:<std(?:err|out)>)?: ?",
    r"\[(?:gw|[Rr]ank|TP|PP|DP|EP|[Ss]tage|default|worker|node)[ _-]?\d{1,4}\] ?",
    # Which container or service: compose.
    r"[a-z][\w.-]{0,40}(?: +| *-\d+ +)\| ",
    # When; some write behind it who, too.
    rf"\[{_MOMENT}(?: +[A-Z]{{2}}\d{{1,3}}){{0,4}}\]:? ?",
    rf"{_MOMENT}[:,]? (?:- )?",
    rf"\[{_TIME}Z?\] |{_TIME} \[[\w.-]{{1,40}}\] ",
)
"""Who speaks, and when."""

GRAVE: tuple[str, ...] = (
    # vLLM, glog, pytest's captured log, logging of Python, DeepSpeed, loggers with the level in brackets.
    rf"{_LEVEL} \d\d-\d\d {_TIME} \[[^\]]{{1,80}}\] ?",
    rf"[EF]\d{{4}} (?:{_TIME}|00:00:\d+\.\d+) +\d+ [^\]]{{1,160}}\] ?",
    rf"{_LEVEL} {{1,5}}[\w.]{{1,80}}:[\w./-]{{1,120}}:\d+ ",
    rf"[\w.:-]{{1,60}} - {_LEVEL} - (?:[\w.:-]{{1,60}} - )?",
    rf"\[{_LEVEL}\] \[[^\]]{{1,80}}\] ",
    r"\[[A-Za-z][\w.-]{1,30}\] \[(?i:fatal|error|critical)\] ",
    rf"\[{_MOMENT} +(?:{_LEVEL}|[EF] \d+ \d+)\]:? ?(?:\([\w.]{{1,40}}\) )?(?:[\w.]{{1,80}}:\d+: )?",
    r"time=\"[^\"]{1,60}\" level=(?:error|fatal|panic) msg=\"?",
    # Native libraries: of NCCL's levels WARN is the gravest; XLA, PyTorch's C++, HIP, ONNX Runtime, TensorRT.
    r"\S{1,120}:\d+:\d+ \[\d+\] (?:\S{1,120}:\d+ )?NCCL WARN ",
    r"[EF] [\w./-]{1,160}:\d+\] |\[[EF](?:\d{3,4})? [^\]]{1,120}:\d+\] ?",
    r":[01]:[\w.]{1,60} *: ?\d+ *: +\d+ ?us: *(?:\[?pid:\S+ +tid:\S+\]? *)?",
    r"\[[EF]:\w+:[^\]]{0,160}\] ",
    r"\[(?:TRT|TensorRT)\] \[[EF]\] |\[[EF]\] \[(?:TRT|TensorRT)\] ",
)
"""Who speaks, where a program itself says that what follows went wrong."""

_ALL = regex(rf"(?:{'|'.join(f'(?:{prefix})' for prefix in (*WHO_AND_WHEN, *GRAVE))}){{1,{MOST}}}")
_GRAVE = regex("|".join(GRAVE))


def said(text: str) -> str:
    """Return the words of a line without what stands in front of them; the whole line where nothing does."""
    found = _ALL.match(text)
    rest = text[found.end() :] if found else text
    return rest if rest.strip() else text


def is_grave(text: str) -> bool:
    """Whether a program put the gravest of its levels right before the line's first word."""
    found = _ALL.match(text)
    if found is None or not text[found.end() : found.end() + 1].strip():
        return False
    return _GRAVE.search(found[0]) is not None
