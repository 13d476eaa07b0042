"""What is taken out of an answer before it is written: secrets, e-mail addresses and, on request, names of machines."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from triage.redact import redact
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from triage.source.protocol import JSON

SOMEBODY = "somebody@example.com"
OWN_GITHUB = "github.example.com"
BLOCK = 1024 * 1024
# A line as long as this is cut in two for masking, so that memory stays bounded.
LONGEST_LINE = 8 * BLOCK

_EMAIL = regex(r"[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])")
# Addresses that are nobody's: of ssh remotes, and those GitHub gives out in place of real ones.
_NOBODY = regex(r"(?:^git@|@users\.noreply\.github\.com$|@example\.(?:com|org|net)$)", re.IGNORECASE)
_MACHINE = regex(r"(?m)^(?:\S+Z )?(?:Runner|Machine) name: '([^'\n]{1,255})'")
_HOSTED = regex(r"GitHub Actions \d+|fv-az\S*|runnervm\S*")


class Redactor:
    """Redacts everything of one recording, the same name always to the same substitute."""

    def __init__(self, *, hosts: bool) -> None:
        self._hosts = hosts
        self._names: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self._lock = threading.Lock()

    def learn(self, answer: JSON) -> None:
        """Remember the names of machines that stand in a job, and the name of a GitHub of one's own."""
        if not self._hosts:
            return
        runner, url = answer.get("runner_name"), answer.get("html_url")
        if isinstance(runner, str):
            self._learn_machine(runner)
        host = urlsplit(url).hostname if isinstance(url, str) else None
        if host and host != "github.com":
            self._learn(host, OWN_GITHUB)

    def json(self, value: object) -> object:
        """Return the same structure with every text in it redacted; keys are GitHub's and stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.json(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.json(item) for item in value]
        return value

    def text(self, text: str) -> str:
        """Return the text redacted, with as many lines as before."""
        if self._hosts:
            for found in _MACHINE.finditer(text):
                self._learn_machine(found[1])
        clean = _keep_lines(text, redact(text))
        if "@" in clean:
            clean = _EMAIL.sub(_somebody, clean)
        pattern = self._pattern
        return pattern.sub(lambda found: self._names[found[0]], clean) if pattern else clean

    def log(self, source: BinaryIO) -> Iterator[bytes]:
        """Yield a raw log redacted, block by block; bytes that are no UTF-8 stay as they are."""
        for block in _blocks(source):
            encoding = "utf-8" if _is_utf8(block) else "latin-1"  # which takes and gives back any byte
            yield self.text(block.decode(encoding)).encode(encoding)

    def _learn_machine(self, name: str) -> None:
        # Very short names would be found everywhere; hosted ones say nothing about anybody.
        if len(name) >= 3 and not _HOSTED.fullmatch(name):
            self._learn(name, None)

    def _learn(self, name: str, substitute: str | None) -> None:
        with self._lock:
            if name in self._names:
                return
            self._names[name] = substitute or f"machine-{len(self._names) + 1}"
            longest_first = sorted(self._names, key=len, reverse=True)
            names = "|".join(re.escape(known) for known in longest_first)
            self._pattern = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])")


def _somebody(found: re.Match[str]) -> str:
    return found[0] if _NOBODY.search(found[0]) else SOMEBODY


def _keep_lines(before: str, after: str) -> str:
    """Put back the line ends that masking took, so that line numbers stay GitHub's."""
    return after + "\n" * (before.count("\n") - after.count("\n"))


def _is_utf8(block: bytes) -> bool:
    try:
        block.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _blocks(source: BinaryIO) -> Iterator[bytes]:
    """Yield whole lines together, about `BLOCK` bytes at a time."""
    rest = b""
    while part := source.read(BLOCK):
        rest += part
        end = rest.rfind(b"\n") + 1
        if end or len(rest) > LONGEST_LINE:
            end = end or len(rest)
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest
