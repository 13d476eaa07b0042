"""The same for many things at once, in order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def in_parallel(function: Callable[[Thing], Result], things: Sequence[Thing], *, workers: int) -> Iterator[Result]:
    """Yield the result for each thing, in their order. What one raises ends all; nothing new is begun after that."""
    pool = ThreadPoolExecutor(max_workers=max(1, workers), thread_name_prefix="triage")
    try:
        yield from pool.map(function, things)
    finally:
        # Without `cancel_futures` Ctrl-C would wait for everything that has not even begun.
        pool.shutdown(wait=True, cancel_futures=True)
