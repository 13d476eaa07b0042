"""Synthetic job logs of any size, the same for the same arguments: docker, pip, builds, tests, services, errors."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WORDS = (
    "kernel",
    "shard",
    "cache",
    "token",
    "batch",
    "layer",
    "proxy",
    "queue",
    "worker",
    "tensor",
    "index",
    "stream",
)

# How often a kind of line stands in the log, and the line; fields are filled at random.
_QUIET: tuple[tuple[int, str], ...] = (
    (8, "{hash}: Pulling fs layer"),
    (8, "{hash}: Download complete"),
    (14, "Requirement already satisfied: {word}-{word2}>={n}.{m} in /opt/hostedtoolcache/Python/3.11.7/x64/lib"),
    (10, "Collecting {word}-{word2}=={n}.{m}.{k}"),
    (16, "[{n}/{big}] c++ -O2 -Wall -Iinclude -MD -MF build/{word}/{word2}_{k}.o.d -c src/{word}/{word2}_{k}.cpp"),
    (10, "[{n}/{big}] \x1b[32mBuilding CXX object src/{word}/CMakeFiles/{word2}.dir/{word}_{k}.cpp.o\x1b[0m"),
    (8, "tests/{word}/test_{word2}.py::test_{word}_{k} \x1b[32mPASSED\x1b[0m                    [ {m}%]"),
    (14, "tests/{word}/test_{word2}.py::test_{word}_{k} PASSED                                [ {m}%]"),
    (12, "2026-11-30 10:{m}:{k} INFO  engine.{word}: step={n} loss=0.{big} lr=0.000{m} tokens/s={big}"),
    (8, 'INFO:     10.0.{m}.{k}:{big} - "POST /generate HTTP/1.1" 200 OK'),
    (6, '{{"level":"info","ts":17{big}.{n},"caller":"{word}/{word2}.go:{k}","msg":"{word} ready"}}'),
    (5, "warning: unused variable: `{word}` in crates/{word2}/src/lib.rs:{k}:{m}"),
    (5, "   Compiling {word}-{word2} v{n}.{m}.{k}"),
    (4, "##[group]{word} {word2} {k}"),
    (4, "##[endgroup]"),
    (4, ""),
)

_FAILING: tuple[str, ...] = (
    'Error response from daemon: Get "https://registry-1.docker.io/v2/": net/http: TLS handshake timeout',
    "OSError: [Errno 28] No space left on device",
    "RuntimeError: CUDA error: an illegal memory access was encountered",
    "FAILED tests/{word}/test_{word2}.py::test_{word}_{k} - AssertionError: assert {n} == {m}",
    "npm ERR! code ECONNRESET",
    "fatal: unable to access 'https://github.com/acme/{word}.git/': Could not resolve host: github.com",
    "##[error]Process completed with exit code 1.",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {n}.00 GiB. GPU 0 has a total capacity of 79 GiB",
)

_CHUNK_LINES = 20_000


def write_log(path: Path, *, megabytes: float, dense: bool = False, seed: int = 7) -> None:
    """Write a log of about this size.

    Args:
        path: Overwritten.
        megabytes: Of 1,000,000 bytes.
        dense: Every fifth line is a failure, instead of about one in 50,000.
        seed: Another seed, another log.
    """
    rng = random.Random(seed)
    wanted = int(megabytes * 1e6)
    ticks = 0
    with path.open("wb") as file:
        file.write(b"\xef\xbb\xbf")
        written = 3
        texts = list(_texts(rng, dense=dense))
        while written < wanted:
            rng.shuffle(texts)
            chunk = bytearray()
            for text in texts:
                ticks += 21_347
                seconds, fraction = divmod(ticks, 10_000_000)
                minutes, second = divmod(seconds, 60)
                hour, minute = divmod(minutes, 60)
                stamp = f"2026-11-{1 + hour // 24:02}T{hour % 24:02}:{minute:02}:{second:02}.{fraction:07}Z "
                chunk += stamp.encode() + text
                if written + len(chunk) >= wanted:
                    break
            file.write(chunk)
            written += len(chunk)


def _texts(rng: random.Random, *, dense: bool) -> Iterator[bytes]:
    kinds = [text for weight, text in _QUIET for _ in range(weight)]
    failing_every = 5 if dense else _CHUNK_LINES // 2
    for index in range(_CHUNK_LINES):
        form = rng.choice(_FAILING) if index % failing_every == 0 else rng.choice(kinds)
        yield (_filled(form, rng) + "\n").encode()


def _filled(form: str, rng: random.Random) -> str:
    return form.format(
        hash=f"{rng.getrandbits(48):012x}",
        word=rng.choice(_WORDS),
        word2=rng.choice(_WORDS),
        n=rng.randrange(1, 400),
        m=rng.randrange(10, 99),
        k=rng.randrange(10, 60),
        big=rng.randrange(1000, 9999),
    )
