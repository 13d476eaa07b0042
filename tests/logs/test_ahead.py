from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from triage.logs.ahead import ALONE, looked_at
from triage.logs.blocks import Block

if TYPE_CHECKING:
    from collections.abc import Iterator


def blocks(count: int) -> Iterator[Block]:
    return (Block(offset=0, first_line=number, tidy=b"%d" % number, line_count=1) for number in range(count))


@pytest.mark.parametrize("count", [0, 1, ALONE, ALONE + 1, ALONE + 2, ALONE + 7])
def test_every_block_comes_once_and_in_order(count: int) -> None:
    seen = list(looked_at(blocks(count), lambda: int))

    assert [(block.first_line, number) for block, number in seen] == [(n, n) for n in range(count)]


def test_a_log_of_a_few_blocks_starts_no_thread() -> None:
    threads = {thread for _, thread in looked_at(blocks(ALONE), lambda: lambda _: threading.get_ident())}

    assert threads == {threading.get_ident()}


def test_two_blocks_of_a_large_log_are_looked_at_at_once() -> None:
    both = threading.Barrier(2, timeout=10)

    def look(text: bytes) -> int:
        return both.wait() if int(text) >= ALONE else 0

    assert sorted(number for _, number in looked_at(blocks(ALONE + 2), lambda: look))[-2:] == [0, 1]


def test_what_looks_may_change_with_what_was_seen() -> None:
    seen: list[bytes] = []

    for block, found in looked_at(blocks(ALONE + 4), lambda: lambda text: (text, tuple(seen))):
        assert found[0] == block.tidy
        assert len(found[1]) >= block.first_line - 1
        seen.append(block.tidy)

    assert len(seen) == ALONE + 4


def test_what_a_look_raises_ends_the_reading() -> None:
    def look(text: bytes) -> None:
        if int(text) == ALONE:
            raise ValueError("no RE2")

    with pytest.raises(ValueError, match="no RE2"):
        list(looked_at(blocks(ALONE + 4), lambda: look))
