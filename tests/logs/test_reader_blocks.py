"""Blocks of whole lines: the same lines wherever the file is cut."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from triage.logs.blocks import RAW_LINE_BYTES, BlockIndex, read_blocks
from triage.matching import clean_block

_RAW = st.lists(
    st.sampled_from([b"a", b"line", b"\n", b"\r", b"\r\n", b"\x1b[31m", b"\xff", "é".encode(), b"", b" "]), max_size=60
).map(b"".join)


@given(_RAW, st.integers(1, 40))
def test_blocks_of_any_size_hold_the_same_lines(raw: bytes, block_bytes: int) -> None:
    blocks = list(read_blocks(io.BytesIO(raw), block_bytes=block_bytes))

    assert b"".join(block.cleaned() for block in blocks) == clean_block(raw)
    number = 1
    for block in blocks:
        assert block.first_line == number
        assert raw[: block.offset].count(b"\n") == number - 1
        number += block.line_count


@given(_RAW)
def test_a_block_read_again_is_the_same_block(raw: bytes) -> None:
    file = io.BytesIO(raw * 500)
    index = BlockIndex()
    blocks = list(read_blocks(file))
    for block in blocks:
        index.add(block)

    for number, block in enumerate(blocks):
        assert next(index.blocks_from(file, number)) == block
        assert index.block_of(block.first_line) == number
        assert index.block_of(block.first_line + block.line_count - 1) == number


def test_of_a_line_that_does_not_end_only_the_start_is_remembered() -> None:
    raw = b"2026-11-30T11:26:03.0611977Z " + b"x" * 1_000_000 + b"\nnext\n"

    blocks = list(read_blocks(io.BytesIO(raw)))

    assert [(block.first_line, block.line_count) for block in blocks] == [(1, 1), (2, 1)]
    assert blocks[0].cleaned().startswith(b"2026-11-30T11:26:03.0611977Z xxx")
    assert len(blocks[0].cleaned()) <= 8193
    assert blocks[1].cleaned() == b"next\n"


def test_of_a_progress_bar_without_end_the_last_state_is_remembered() -> None:
    bar = b"".join(b"\r%7d of 100000" % done for done in range(100_001))
    raw = b"2026-11-30T11:26:03.0611977Z Downloading" + bar + b"\ndone\n"

    assert len(bar) > 10 * RAW_LINE_BYTES
    assert b"".join(block.cleaned() for block in read_blocks(io.BytesIO(raw))) == (
        b"2026-11-30T11:26:03.0611977Z  100000 of 100000\ndone\n"
    )
