"""Markdown as GitHub reads it: the elements that come out, and the text that GitHub would act on."""

from __future__ import annotations

from html.parser import HTMLParser

import cmarkgfm

_VOID = frozenset({"br", "img", "hr", "input"})


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.comments: list[str] = []
        self.links: list[str] = []
        self.running: list[str] = []
        self.code: list[str] = []
        self.text = ""
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.links += [value or "" for name, value in attrs if name == "href"]
        names = ",".join(name for name, _ in attrs)
        self.elements.append(f"<{tag} {names}>" if names else f"<{tag}>")
        if tag not in _VOID:
            self._open.append(tag)
        if tag in {"code", "pre"}:
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag, f"</{tag}> closes something else"
        self.elements.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        self.text += data
        if {"code", "pre"} & set(self._open):
            self.code[-1] += data
        else:
            self.running.append(data)

    def close(self) -> None:
        super().close()
        assert not self._open, f"never closed: {self._open}"


class Page:
    """A rendered text.

    Attributes:
        structure: Start and end tags in order, without those of code spans: how many there are is up to the text.
        links: Every address that a reader could open.
        running: Text outside code: what GitHub looks through for mentions, references and addresses.
        code: The content of every code span and block, in order.
        text: All that a reader sees, in order.
    """

    def __init__(self, markdown: str) -> None:
        # Unsafe, so that HTML in the text shows up as elements here instead of being taken out for us.
        reader = _Reader()
        reader.feed(cmarkgfm.github_flavored_markdown_to_html(markdown, options=cmarkgfm.Options.CMARK_OPT_UNSAFE))
        reader.close()
        self.structure = tuple(element for element in reader.elements if element not in {"<code>", "</code>"})
        self.links = tuple(reader.links)
        self.running = "\n".join(reader.running)
        self.code = tuple(reader.code)
        self.text = reader.text
        self.comments = tuple(reader.comments)
