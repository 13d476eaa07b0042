"""Looking at the blocks of a large log two at a time: looking lets another thread run, and takes most of the time."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from triage.logs.blocks import Block

Seen = TypeVar("Seen")

ALONE = 8
"""Blocks that are looked at one by one before a second thread is started: most logs are no longer."""


def looked_at(blocks: Iterator[Block], looker: Callable[[], Callable[[bytes], Seen]]) -> Iterator[tuple[Block, Seen]]:
    """Pair blocks with what is seen in them, in their order.

    Args:
        blocks: Of one log.
        looker: Gives what looks at a block, maybe in another thread. It is asked in this one, for each block or for
            two at once, so what it gives may depend on what was seen before.
    """
    for block in islice(blocks, ALONE):
        yield block, looker()(block.tidy)
    first = next(blocks, None)
    if first is not None:
        yield from _in_pairs(first, blocks, looker)


def _in_pairs(
    first: Block | None, blocks: Iterator[Block], looker: Callable[[], Callable[[bytes], Seen]]
) -> Iterator[tuple[Block, Seen]]:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1, thread_name_prefix="triage-log") as other_thread:
        while first is not None:
            look, second = looker(), next(blocks, None)
            seen = other_thread.submit(look, first.tidy)
            seen_here = None if second is None else (second, look(second.tidy))
            yield first, seen.result()
            if seen_here is not None:
                yield seen_here
            first = next(blocks, None)
