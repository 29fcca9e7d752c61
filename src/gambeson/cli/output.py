"""What commands print: answers on standard output, painted on a terminal, and diagnostics on standard error."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import sys
from collections.abc import Iterable
from typing import Any

from gambeson.games import texts
from gambeson.language.texts import Texts
from gambeson.model.errors import Fault, dotted
from gambeson.model.messages import Parameter
from gambeson.table.explaining import (
    ASIDE,
    HEAD,
    OPTION,
    QUESTION,
    REFUSED,
    SHOUT,
    WHO,
    WIDTH,
    Line,
    explanation,
    rule_column,
    written,
)
from gambeson.table.rulings import Ruling

BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"
STYLES = {HEAD: BOLD, WHO: BOLD, ASIDE: DIM, SHOUT: f"{BOLD};{YELLOW}", REFUSED: RED, QUESTION: YELLOW, OPTION: YELLOW}
FAULTS_SHOWN = 20
DEEPEST = 8
"""Steps of a path that are shown."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class Output:
    """Standard output for people, in one language."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self.terminal = sys.stdout.isatty()
        self.colours = self.terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        columns = shutil.get_terminal_size((WIDTH, 24)).columns if self.terminal else WIDTH
        self.width = max(40, min(columns, WIDTH))

    @property
    def said(self) -> Texts:
        """The common texts."""
        return texts(None, self.lang)

    def say(self, id: str, style: str = "", indent: str = "", **params: Parameter) -> None:
        """Print a message."""
        self.print(self.said.say(id, **params), style, indent)

    def print(self, text: str = "", style: str = "", indent: str = "") -> None:
        """Print a text, painted if the terminal has colours."""
        print(indent + self.painted(text, style))

    def painted(self, text: str, style: str) -> str:
        """The text in a style."""
        return f"\x1b[{style}m{text}\x1b[0m" if style and text and self.colours else text

    def explain(self, ruling: Ruling, lead: str = "", note: str = "") -> None:
        """Print what came of a command; `lead` stands before its first line, the note follows that."""
        lines = explanation(ruling, self.lang)
        column = rule_column(lines)
        for at, line in enumerate(lines):
            if at == 0 and lead:
                line = Line(line.kind, f"{lead} {line.text}", line.rule)
            self.explanation_line(line, column)
            if at == 0 and note:
                self.explanation_line(Line(ASIDE, f"# {note}"), column)

    def explanation_line(self, line: Line, column: int) -> None:
        """Print one line of an explanation."""
        text = written(line, column, self.width)
        style = STYLES.get(line.kind, "")
        if not self.colours:
            print(text)
        elif line.rule and not style:
            print(text.replace(line.rule, self.painted(line.rule, CYAN), 1))
        else:
            print("\n".join(self.painted(part, style) for part in text.split("\n")))


def print_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(_sound(value), ensure_ascii=False, indent=2))


def _sound(value: Any) -> Any:
    """The same data without what JSON has no words for."""
    if isinstance(value, dict):
        return {str(key): _sound(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_sound(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def diagnose(text: str) -> None:
    """Print one line on standard error."""
    print(_CONTROL.sub(" ", text), file=sys.stderr)


def diagnose_faults(faults: Iterable[Fault], said: Texts) -> None:
    """Print each fault in a line of its own: where it is, what is wrong, what is allowed."""
    listed = tuple(faults)
    for fault in listed[:FAULTS_SHOWN]:
        diagnose(fault_line(fault, said))
    if len(listed) > FAULTS_SHOWN:
        diagnose(said.say("cli.more_faults", count=len(listed) - FAULTS_SHOWN))


def fault_line(fault: Fault, said: Texts) -> str:
    """A fault as `path:line:column: key: what is wrong`."""
    place = f"{fault.file}:{fault.line}:{fault.column}" if fault.line else fault.file
    key = dotted(fault.path[:DEEPEST]) + ("…" if len(fault.path) > DEEPEST else "")
    return ": ".join(part for part in (place, key, said.say(fault.message)) if part)


def fault_json(fault: Fault, said: Texts) -> dict[str, Any]:
    """A fault for programs."""
    return {
        "path": dotted(fault.path),
        "line": fault.line or None,
        "column": fault.column or None,
        "message": said.say(fault.message),
    }
