"""The dialect of patterns: what is refused and why, and how a pattern is compiled.

A pattern is RE2 and is tried on one cleaned line. `^` may only open it, because a scanned block still holds the
platform's timestamps and the opening `^` is what steps over them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import re2

from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# Each compiled pattern may keep this many bytes of automaton; RE2's own default of 8 MB times 500 rules is too much.
PATTERN_MEMORY = 1 << 20

STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z"
"""How GitHub opens each line: UTC with seven digits of a second; a blank follows, unless the line is empty."""

_LINE_START = rf"^(?:\x{{FEFF}})?(?:{STAMP} ?)?"

_OPENING_FLAGS = regex(r"(?:\(\?[isU]+\))*")

TOKEN = regex(
    r"""
      [\w ,:;/'"=<>@#%&!~-]{2,8} (?! [*+?{] )        # some plain text; the last character may be repeated by itself
    |
      \\Q .*? (?: \\E | \Z )                        # quoted text means itself
    | \\ (?: [pPxN]\{[^}]*\} | [kg]<[^>]*> | . )    # an escape
    | \[ \^? \]? (?: \\. | \[:\^?\w+:\] | [^\]\\] )* \]   # a class; `]` in first place means itself
    | \(\? (?: [#] | P[=>]\w* | P?<\w+> | <?[=!] | [>|(&+\d] | [A-Za-z-]*[:)]? )
    | (?: [*+?] | \{\d*,?\d*\} ) \+                 # possessive
    | \{\d+ (?: ,\d* )? \}                          # a count
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
"""One construct of a pattern: plain text, an escape, a class, the opening of a group, a count, or a character."""

_ONE_LINE = "a pattern sees one line at a time"
_NO_LOOKING = "looking around is not linear-time"

# Construct as written -> why it cannot be, and what to write instead.
_REFUSED: Mapping[str, str] = {
    "(?=": f"look-ahead `(?=…)`: {_NO_LOOKING}; match the text itself, and capture only the part you want",
    "(?!": f"negative look-ahead `(?!…)`: {_NO_LOOKING}; write what must not stand there as a pattern of its own",
    "(?<=": f"look-behind `(?<=…)`: {_NO_LOOKING}; match the text before, and capture only the part you want",
    "(?<!": f"negative look-behind `(?<!…)`: {_NO_LOOKING}; write what must not stand there as a pattern of its own",
    "(?>": "atomic group `(?>…)`: nothing backtracks here, write `(?:…)`",
    "(?|": "branch reset `(?|…)`: give each group its own name",
    "(?(": "conditional group `(?(…)…)`: write one pattern for each case",
    "(?#": "comment `(?#…)`: write the comment beside the pattern",
    r"\A": r"`\A`: write `^` as the first character",
    r"\Z": r"`\Z`: write `$`",
    r"\z": r"`\z`: write `$`",
    r"\G": rf"`\G`: {_ONE_LINE}, write `^` as the first character",
    r"\K": r"`\K`: capture the part you want with `(?P<name>…)`",
    r"\R": rf"`\R`: {_ONE_LINE}, write one pattern for each line",
    r"\n": rf"`\n`: {_ONE_LINE}, write one pattern for each line",
    r"\r": rf"`\r`: {_ONE_LINE}, write `$`",
    "\n": f"a line break: {_ONE_LINE}, write one pattern for each line",
    r"\C": r"`\C`: half a character matches nothing a reader sees, write `.`",
    r"\X": r"`\X`: write `.`",
    r"\h": r"`\h`: write `[ \t]`",
    r"\H": r"`\H`: write `[^ \t]`",
    r"\u": r"`\u…`: write the character itself or `\x{…}`",
    r"\N": r"`\N`: write `.` or the character itself",
    r"\k": r"back reference `\k<…>`: repeated text cannot be asked for, match it loosely",
    r"\g": r"back reference `\g<…>`: repeated text cannot be asked for, match it loosely",
    "(?P=": "back reference `(?P=…)`: repeated text cannot be asked for, match it loosely",
    "(?P>": "recursion `(?P>…)`: write the group out again",
    "(?&": "recursion `(?&…)`: write the group out again",
}

# Lines of nothing much: whatever matches without eating a character there matches nearly every line of a log.
_EMPTY_HANDED = ("", "a", " a b ", "- -")


def check_pattern(pattern: str) -> str | None:
    """Say why a pattern cannot be used.

    Returns:
        None when it can; else one sentence that names the construct and what to write instead.
    """
    reason = next(_reasons(pattern), None)
    if reason is not None:
        return reason
    try:
        compiled = compile_pattern(pattern)
    except re2.error as error:
        return _in_words(error)
    for text in _EMPTY_HANDED:
        match = compiled.search(text)
        if match is not None and not match.group():
            return "it can match no text at all, so nearly every line would match: name a text that must stand there"
    return None


def find(pattern: str, text: str) -> Mapping[str, str] | None:
    """Look for a pattern on one cleaned line.

    Args:
        pattern: One that `check_pattern` accepts.
        text: One line, as in `LogLine.text`.

    Returns:
        None when it does not match; else the named groups that took part, in the pattern's order.
    """
    compiled = compile_pattern(pattern)
    match = compiled.search(text)
    if match is None:
        return None
    by_position = sorted(compiled.groupindex.items(), key=lambda entry: entry[1])
    return {name: match.group(index) for name, index in by_position if match.group(index) is not None}


def places_of(pattern: str, lines: Sequence[str]) -> tuple[int, ...]:
    """Return the places among cleaned lines, from 0, of those that a pattern matches, in order."""
    text = "\n".join(lines).encode("utf-8", "replace")
    place = at = 0
    places: dict[int, None] = {}  # one line may match several times
    for match in _compiled_for_lines(pattern).finditer(text):
        place += text.count(b"\n", at, match.start())
        at = match.start()
        places[place] = None
    return tuple(places)


@lru_cache(maxsize=256)
def _compiled_for_lines(pattern: str) -> Any:  # noqa: ANN401 - re2 has no types
    return re2.compile(for_line(pattern), options())


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Any:  # noqa: ANN401 - re2 has no types
    """Compile for one cleaned line.

    Raises:
        re2.error: It is no RE2; `check_pattern` tells in words.
    """
    return re2.compile(pattern, options(captures=True))


def options(max_mem: int = PATTERN_MEMORY, *, captures: bool = False, within_line: bool = True) -> Any:  # noqa: ANN401 - re2 has no types
    """Options of every pattern here: silent on stderr, `max_mem` bytes at most.

    Args:
        max_mem: For the program and its automaton.
        captures: Whether groups are wanted; without them finding a line is faster.
        within_line: Whether nothing matches a newline, whatever is written.
    """
    chosen = re2.Options()
    chosen.never_nl = within_line
    chosen.never_capture = not captures
    chosen.log_errors = False
    chosen.max_mem = max_mem
    return chosen


def for_line(pattern: str) -> bytes:
    """Write the pattern for a text of cleaned lines without timestamps: it finds exactly the lines it matches alone."""
    return b"(?m)" + pattern.encode()


def for_block(pattern: str) -> bytes:
    """Write the pattern for a block of lines that still have their timestamps: it finds at least what is there."""
    opening = _OPENING_FLAGS.match(pattern)
    at = opening.end() if opening else 0
    if pattern.startswith("^", at):
        pattern = pattern[:at] + _LINE_START + pattern[at + 1 :]
    return b"(?m)" + pattern.encode()


def _reasons(pattern: str) -> Iterator[str]:
    opening = _OPENING_FLAGS.match(pattern)
    first = opening.end() if opening else 0
    for token in TOKEN.finditer(pattern):
        text, at = token.group(), token.start()
        if text == "^" and at != first:
            yield f"`^` at offset {at}: it may only be the first character; write a second pattern that starts with `^`"
        elif reason := _refusal(text):
            yield f"{reason} (offset {at})"


def _refusal(token: str) -> str | None:
    if len(token) > 1 and token[0] in "*+?{" and token.endswith("+"):
        return f"possessive `{token}`: nothing backtracks here, write `{token[:-1]}`"
    if token.startswith("\\") and token[1:2].isdigit() and token[1] != "0":
        return f"back reference `{token}`: repeated text cannot be asked for, match it loosely"
    if token.startswith("(?") and token[2:3].isalpha() and not token.startswith("(?P"):
        return _refused_flag(token)
    if token.startswith("[") and len(token) > 1:
        return _REFUSED[r"\n"] if r"\n" in token and "^" not in token[:2] else None
    if token.startswith("{"):
        return _refused_count(token)
    return next((reason for start, reason in _REFUSED.items() if token.startswith(start)), None)


def _refused_flag(token: str) -> str | None:
    wrong = sorted(set(token[2:].rstrip(":)")) - set("isU-"))
    if not wrong:
        return None
    if wrong == ["x"]:
        return "flag `(?x)`: write the pattern without blanks and comments"
    if wrong == ["m"]:
        return f"flag `(?m)`: {_ONE_LINE} anyway, leave it out"
    return f"flag `{token}`: only `i`, `s` and `U` are known"


def _refused_count(token: str) -> str | None:
    numbers = [int(digits) for digits in re.findall(r"\d+", token)]
    if any(number > 1000 for number in numbers):
        return f"count `{token}`: at most 1000; write `*` or `+`"
    return None


def _in_words(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    if text.startswith("invalid repetition size"):
        return f"{text}: counts and nested counts multiply to more than 1000; write `*` or `+`"
    if text.startswith("pattern too large"):
        return "the pattern is too large: counts such as `{0,200}` are written out; write `*` or `+`"
    return f"{text}: not in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax)"
