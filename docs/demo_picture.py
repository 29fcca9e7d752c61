"""Draws docs/demo-fight.svg: what the demonstration fight prints at a terminal. Run it from the checkout's folder."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from gambeson.cli.run import run

STEPS = 3
WIDTH = 102


class Terminal(io.StringIO):
    """A text that passes for a terminal, so that it is painted."""

    def isatty(self) -> bool:
        return True


def main() -> None:
    """Play, cut to the first steps, draw."""
    printed = Terminal()
    with contextlib.redirect_stdout(printed):
        run(["examples/demo-fight.yaml"], as_json=False, lang="en", seed=None)
    shown = re.split(rf"\n(?=\S*{STEPS + 1}\. )", printed.getvalue())[0]
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(shown))
    drawn = console.export_svg(title="gambeson run examples/demo-fight.yaml", unique_id="demo")
    drawn = re.sub(r"\s*<!--.*?-->", "", drawn, flags=re.DOTALL)
    # No fonts from elsewhere: a picture must not call home.
    drawn = re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL).replace("Fira Code", "ui-monospace, Menlo")
    Path("docs/demo-fight.svg").write_text(drawn, "utf-8")


if __name__ == "__main__":
    main()
