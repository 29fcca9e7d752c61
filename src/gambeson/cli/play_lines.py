"""The lines that people type at the terminal, and the words of this program that a line may begin with."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable

from gambeson.table.entry_words import folded, words_for

WORDS = (
    "undo", "save", "load", "state", "overview", "log", "why", "what_if", "spells", "rules", "lang", "help", "quit",
    "answer", "roll", "demo", "legal", "odds",
)  # fmt: skip
ALWAYS = (
    "undo",
    "save",
    "state",
    "overview",
    "log",
    "why",
    "spells",
    "rules",
    "lang",
    "help",
    "quit",
    "answer",
    "roll",
    "legal",
    "odds",
)
"""Words that are understood also while something is open."""


def word_of(text: str) -> tuple[str, str]:
    """A word of this program that a line begins with, and the rest of the line."""
    line = folded(text)
    for name in WORDS:
        for alias in words_for(f"play.word.{name}"):
            if line == alias or line.startswith(f"{alias} "):
                parts = text.split(maxsplit=len(alias.split()))
                return name, parts[len(alias.split())] if len(parts) > len(alias.split()) else ""
    return "", ""


class Lines:
    """The lines that people type: with history and completion on a terminal, echoed where they are piped in."""

    def __init__(self, words: Callable[[], list[str]]) -> None:
        self.terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self.readline = False
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        if self.terminal:
            with contextlib.suppress(ImportError):
                import readline

                self.readline = True
                readline.set_completer_delims(" \t")
                readline.set_completer(lambda text, at: _completion(words(), text, at))
                readline.parse_and_bind("tab: complete")

    def next(self, prompt: str) -> str:
        """The next line. Raises EOFError when there is none."""
        if self.terminal:
            return input(f"\001\x1b[1m\002{prompt}\001\x1b[0m\002" if self.readline and _coloured() else prompt)
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            print()
            raise EOFError
        line = line.rstrip("\r\n")
        print(line)
        return line


def _coloured() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _completion(words: list[str], text: str, at: int) -> str | None:
    fitting = [word for word in words if word.casefold().startswith(text.casefold())]
    return f"{fitting[at]} " if at < len(fitting) else None
