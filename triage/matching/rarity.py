"""How seldom a construct of a pattern is met in logs, counted in letters: what logs are full of is worth little."""

from __future__ import annotations

from triage.regex import regex

_LOGS_ARE_FULL_OF = """
a action actions add all and any api app apply are archive as at available be been before branch build building by
bytes cache can check checking checkout clean code collecting com command compiling complete completed config
copying core cpp created data debug default dev device dir directory docker done download downloaded downloading end
error errors executed exit export extracting fail failed false fetch fetching file files for found from get git
github go group has home host http https id if image in index info init install installed installing into io is it
java job js json kb layer lib line linux loading local log main makes maven may mb message missing model module
modules ms must name need net new no node not npm object objects ok on only or org out package packages pass passed
path pending pod post prepare process progress pull py python read ready ref refs release remote repository request
required resolving root rs run runner running script server service set setup sh size skipped source src start
started starting state status step system tag task test tests that the this time to token tree true ts type up url
use used user using version waiting warn warning warnings was when will with work workflow
"""
"""Words of which in many logs one line of twenty to a hundred holds one."""

_COMMON = frozenset(_LOGS_ARE_FULL_OF.split())
_COMMON_WORD = 1.8

# `[Ee]rror` is such a word as well, in two constructs.
_COMMON_TAILS = frozenset(word[1:] for word in _COMMON if len(word) > 3)
_COMMON_TAIL = 1.2

_LETTER = 1.0
_FOREIGN = 3.0  # beyond ASCII: a cross, a tick, a bar
_ONE_OF_FEW = 0.6
SIGN = 0.5
_DIGIT = 0.4
_BLANK = 0.2
_ONE_OF_MANY = 0.1
ANCHORS = {"^": 1.35, "$": 1.0, r"\b": 0.1, r"\B": 0.1}

DIGITS = frozenset({r"\d", "[0-9]"})
BLANKS = frozenset({r"\s", r"\t", " "})

_PLAIN = regex(r"[^\\\[{(.*+?|)^$]+")
_WORD_OR_SIGN = regex(r"[A-Za-z]+|.")
_SHORT_CLASS = regex(r"\[[^\\\]^-]{1,4}\]")


def rarity_of(construct: str) -> float:
    """Rate one construct of a pattern, as `TOKEN` parts them."""
    if _PLAIN.fullmatch(construct):
        return rarity_of_text(construct)
    if construct in DIGITS:
        return _DIGIT
    if construct in BLANKS:
        return _BLANK
    if is_escaped(construct):
        return SIGN
    if construct == ".":
        return 0.0
    return _ONE_OF_FEW if _SHORT_CLASS.fullmatch(construct) else _ONE_OF_MANY


def rarity_of_text(text: str) -> float:
    """Rate plain text."""
    return sum(map(_rarity_of_word, _WORD_OR_SIGN.findall(text)))


def is_escaped(construct: str) -> bool:
    """Say whether a construct is a sign that a backslash makes plain."""
    return len(construct) == 2 and construct[0] == "\\" and not construct[1].isalnum()


def _rarity_of_word(word: str) -> float:
    rarity = sum(map(_rarity_of_sign, word))
    if word.lower() in _COMMON:
        return min(rarity, _COMMON_WORD)
    return min(rarity, _COMMON_TAIL) if word in _COMMON_TAILS else rarity


def _rarity_of_sign(sign: str) -> float:
    if not sign.isascii():
        return _FOREIGN
    return _LETTER if sign.isalnum() else _BLANK if sign == " " else SIGN
