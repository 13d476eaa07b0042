"""Secrets in text that leaves the process: masked before it is stored, printed or posted.

GitHub masks the secrets it was told of, letter by letter; what a tool derived or fetched it does not know. Shapes
decide here, never randomness: commit ids, digests, wheel hashes and uuids look as random as any secret, and readers
need them.
"""

from __future__ import annotations

from triage.redact.disguises import mask_disguised
from triage.redact.shapes import MASK, mask_shapes

__all__ = ["MASK", "redact"]

_MOST_ROUNDS = 4  # what one mask leaves may be a secret that another hid


def redact(text: str, *, emails: bool = False) -> str:
    """Mask whatever looks like a secret: plain, encoded for addresses or in base64, coloured, or wrapped over lines.

    Args:
        text: Any number of lines.
        emails: Mask e-mail addresses as well.

    Returns:
        The text with as many lines as before. What is masked already stays as it is.
    """
    for _ in range(_MOST_ROUNDS):
        before, text = text, mask_shapes(mask_disguised(text), emails=emails)
        if text == before:
            break
    return text
