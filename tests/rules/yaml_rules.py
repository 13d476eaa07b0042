"""Rules files for the tests: a valid one, and ways to spoil it."""

from __future__ import annotations

from textwrap import dedent, indent

RULE = dedent(
    """\
    - id: disk-full
      title: The disk is full
      fault: infrastructure
      line: 'No space left on device'
      examples:
        match:
          - '▶ tar: write error: No space left on device'
        no_match:
          - why: there is space
            log: 'Filesystem 40% used'
    """
)


def rules_file(*rules: str, head: str = "version: 1\n") -> str:
    return f"{head}rules:\n" + "\n".join(indent(dedent(rule), "  ") for rule in rules or (RULE,))


def with_field(line: str, *, without: str | None = None) -> str:
    """The valid rule with one more line, and without one of its own."""
    kept = [text for text in RULE.splitlines() if without is None or not text.strip().startswith(f"{without}:")]
    return rules_file("\n".join([kept[0], f"  {line}", *kept[1:]]))
