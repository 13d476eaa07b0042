"""Take the pictures of the documentation anew, from the recorded runs: `make screenshots`.

What is shown is what the product says: the golden comments as GitHub renders Markdown, and the terminal report with its
own colours. Needs Chromium (`CHROMIUM` names another one) and the packages for development.

    python tools/screenshots.py                       all pictures of docs/images
    python tools/screenshots.py comment.md out.png    one comment, to look at a change of wording; --width 390: a phone
"""

from __future__ import annotations

import argparse
import html
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import cmarkgfm
from png import smaller

ROOT: Final = Path(__file__).resolve().parent.parent
RUNS: Final = ROOT / "tests" / "fixtures" / "runs"
IMAGES: Final = ROOT / "docs" / "images"
PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIETLY: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
MOST_BYTES: Final = 150_000

STYLE: Final = """
:root { --ink: #1f2328; --quiet: #59636e; --line: #d1d9e0; --code: #eff1f3; --block: #f6f8fa; --link: #0969da; }
* { box-sizing: border-box; }
body { margin: 0; padding: 20px 24px; background: #fff; color: var(--ink); width: WIDTHpx;
       font: 14px/1.5 "Liberation Sans", Arial, Helvetica, sans-serif; overflow-wrap: break-word; }
body > :first-child { margin-top: 0; } body > :last-child { margin-bottom: 0; }
p, ul, table, pre, details { margin: 0 0 16px; }
h3 { font-size: 17.5px; line-height: 1.25; margin: 24px 0 16px; } h4 { font-size: 14px; margin: 24px 0 16px; }
ul { padding-left: 28px; } li + li { margin-top: 3px; }
a { color: var(--link); text-decoration: underline; } a code { color: inherit; }
code { font: 85% "DejaVu Sans Mono", "Liberation Mono", monospace; background: var(--code); border-radius: 6px;
       padding: 2px 5px; white-space: break-spaces; }
pre { background: var(--block); border-radius: 6px; padding: 14px; overflow: auto; line-height: 1.45; }
pre code { background: none; padding: 0; white-space: pre; font-size: 11.9px; }
table { border-collapse: collapse; display: block; width: max-content; max-width: 100%; overflow: auto; }
th, td { border: 1px solid var(--line); padding: 6px 13px; } th { font-weight: 600; }
tr:nth-child(2n) td { background: var(--block); }
summary { cursor: pointer; } details > summary + * { margin-top: 12px; } details + details { margin-top: -10px; }
sub { font-size: 11px; color: var(--quiet); vertical-align: baseline; }
pre.terminal { margin: 0; padding: 18px 20px; background: #0d1117; color: #e6edf3; border-radius: 8px; }
pre.terminal { font: 13px/1.4 "DejaVu Sans Mono", "Liberation Mono", monospace; overflow: hidden; }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One picture of the documentation.

    Attributes:
        name: Of the file in docs/images.
        case: The recorded run.
        unfold: Which folded parts stand open, counted from 0.
        until: Only what stands above the first line that begins like this; all when empty.
        terminal: The terminal report instead of the comment.
    """

    name: str
    case: str
    unfold: frozenset[int] = frozenset()
    until: str = ""
    terminal: bool = False


PICTURES: Final = (
    Picture(name="comment-case-a.png", case="case-a"),
    Picture(name="comment-case-a-open.png", case="case-a", unfold=frozenset({3}), until="<details><summary>5 "),
    Picture(name="comment-case-b.png", case="case-b"),
    Picture(name="comment-regression.png", case="near-the-diff"),
    Picture(name="comment-unknown.png", case="dockerfile-build"),
    Picture(name="terminal-case-a.png", case="case-a", until="2 · ", terminal=True),
)


def main() -> int:
    """Take the pictures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("comment", nargs="?", type=Path)
    parser.add_argument("picture", nargs="?", type=Path)
    parser.add_argument("--width", type=int, default=900)
    parser.add_argument("--unfold", action="store_true")
    asked = parser.parse_args()
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        print("no pictures were taken: Chromium is not installed; CHROMIUM=/path/to/it names one", file=sys.stderr)
        return 2
    if asked.comment and asked.picture:
        unfold = frozenset(range(1_000)) if asked.unfold else frozenset()
        take(program, page_of(asked.comment.read_text(), unfold, asked.width), asked.width, asked.picture)
        return 0
    too_large = 0
    for picture in PICTURES:
        path = IMAGES / picture.name
        take(program, terminal_page(picture) if picture.terminal else comment_page(picture), 900, path)
        size = path.stat().st_size
        too_large += size > MOST_BYTES
        print(f"{path.relative_to(ROOT)}: {size:,} bytes{', which is too large' if size > MOST_BYTES else ''}")
    return 1 if too_large else 0


def comment_page(picture: Picture) -> str:
    """Write the golden comment of a recorded run as a page."""
    text = (RUNS / picture.case / "expected" / "comment.md").read_text()
    return page_of(until(text, picture.until), picture.unfold, 900)


def page_of(markdown: str, unfold: frozenset[int], width: int) -> str:
    """Render Markdown with GitHub's rules; line breaks count, as they do in comments."""
    options = cmarkgfm.Options.CMARK_OPT_UNSAFE | cmarkgfm.Options.CMARK_OPT_HARDBREAKS
    body = cmarkgfm.github_flavored_markdown_to_html(markdown, options=options)
    parts = body.split("<details>")
    tags = ["<details open>" if place in unfold else "<details>" for place in range(len(parts) - 1)]
    return page("".join(part + tag for part, tag in zip(parts, [*tags, ""], strict=True)), width)


def terminal_page(picture: Picture) -> str:
    """Run the command that a person would run, on a terminal of 100 columns."""
    shown = f"pr 39471 --recorded {(RUNS / picture.case).relative_to(ROOT)}"
    command = [sys.executable, "-m", "triage", *shown.split()]
    environment = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "TERM"}}
    master, terminal = pty.openpty()
    with subprocess.Popen(
        command, env={**environment, "COLUMNS": "100"}, cwd=ROOT, stdout=terminal, stderr=subprocess.DEVNULL
    ) as ran:
        os.close(terminal)
        said = b"".join(iter(partial(_read, master), b""))
    if ran.returncode:
        raise SystemExit(f"triage ended with {ran.returncode}: no picture of it was taken")
    text = f"$ triage {shown}\n{until(said.decode(), picture.until)}"
    return page(f'<pre class="terminal">{coloured(text)}</pre>', 900)


def _read(master: int) -> bytes:
    """Read what the terminal shows; its end is told as an error."""
    try:
        return os.read(master, 65_536)
    except OSError:
        return b""


def until(text: str, line_start: str) -> str:
    """Cut the text before the first line that begins like this, colours not counted."""
    lines = text.splitlines()
    plain = [_SEQUENCE.sub("", line) for line in lines]
    end = next((at for at, line in enumerate(plain) if line_start and line.startswith(line_start)), len(lines))
    return "\n".join(lines[:end]).rstrip() + "\n"


_SEQUENCE: Final = re.compile(r"\x1b\[([0-9;]*)m")
_STYLES: Final = {
    "1": "font-weight:bold",
    "2": "opacity:.6",
    "31": "color:#ff7b72",
    "32": "color:#7ee787",
    "33": "color:#e3b341",
    "34": "color:#79c0ff",
    "35": "color:#d2a8ff",
    "36": "color:#56d4dd",
}


def coloured(text: str) -> str:
    """Write text with ANSI colours as HTML."""
    out, open_spans, position = [], 0, 0
    for found in _SEQUENCE.finditer(text):
        out.append(html.escape(text[position : found.start()]))
        position = found.end()
        styles = [_STYLES[code] for code in found[1].split(";") if code in _STYLES]
        if styles:
            out.append(f'<span style="{";".join(styles)}">')
            open_spans += 1
        else:
            out.append("</span>" * open_spans)
            open_spans = 0
    return "".join(out) + html.escape(text[position:]) + "</span>" * open_spans


def page(body: str, width: int) -> str:
    """Put the body into a page as wide as asked."""
    style = STYLE.replace("WIDTH", str(width))
    measure = "<script>document.documentElement.dataset.height = document.body.scrollHeight</script>"
    return f'<!doctype html><meta charset="utf-8"><style>{style}</style><body>{body}{measure}</body>'


def take(program: str, text: str, width: int, path: Path) -> None:
    """Draw a page in Chromium, as high as it is, and keep it small."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(text)
        chromium = [program, *QUIETLY, f"--user-data-dir={folder}/profile"]
        dumped = _run([*chromium, f"--window-size={width},800", "--dump-dom", file.as_uri()])
        height = re.search(r'data-height="(\d+)"', dumped)
        if height is None:
            raise SystemExit(f"{program} did not draw the page: it could not be measured")
        shot = Path(folder, "shot.png")
        size = [f"--window-size={width},{height[1]}", "--force-device-scale-factor=1.5"]
        _run([*chromium, *size, f"--screenshot={shot}", file.as_uri()])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(smaller(shot.read_bytes()))


def _run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


if __name__ == "__main__":
    sys.exit(main())
