"""What came of a command, told at the table: briefly with the shout in large, in full for `why`, and the log."""

from __future__ import annotations

import textwrap

from gambeson.cli.output import BOLD, CYAN, DIM, RED, YELLOW, Output
from gambeson.games import texts
from gambeson.games.loading import rule_texts
from gambeson.model.commands import Command
from gambeson.model.events import Called
from gambeson.table import Ruling, Table
from gambeson.table.explaining import (
    ASIDE,
    HEAD,
    LEFT,
    OPTION,
    QUESTION,
    SHOUT,
    STEP,
    WHO,
    Line,
    explanation,
    rule_column,
)
from gambeson.table.log import Row
from gambeson.table.rulings import DONE, REJECTED
from gambeson.table.words import Speaker

BELOW_WHO = (STEP, ASIDE)
BRIEF_LEAVES_OUT = (ASIDE, QUESTION, OPTION, SHOUT)


def print_wrapped(out: Output, text: str, style: str = "") -> None:
    """Print a sentence that may be longer than a line."""
    for line in textwrap.wrap(text, out.width, subsequent_indent="  ", break_on_hyphens=False) or [""]:
        out.print(line, style)


class Teller:
    """Tells rulings on an output."""

    def __init__(self, out: Output) -> None:
        self.out = out

    def tell(self, ruling: Ruling, table: Table) -> None:
        """The ruling briefly: what came in, the steps that did something, what is left, and what to shout."""
        if ruling.status == REJECTED:
            self._refused(ruling)
            return
        undone = ruling.command is not None and ruling.command.name == "undo"
        left_out = (*BRIEF_LEAVES_OUT, HEAD) if undone else BRIEF_LEAVES_OUT
        whole = explanation(ruling, self.out.lang)
        lines = tuple(line for line in whole if line.kind not in left_out)
        if ruling.status == DONE and not undone and all(line.kind == HEAD for line in lines):
            lines = tuple(line for line in whole if line.kind != SHOUT)
        self._print(lines)
        for event in ruling.events:
            if isinstance(event, Called):
                entity = ruling.after.entities.get(event.entity)
                names = texts(ruling.pack.folder, self.out.lang)
                name = names.named(entity.name) if entity is not None else event.entity
                loud = self.out.said.say("play.shout", who=name, call=event.text.upper())
                self.out.print(f" {loud} ", f"{BOLD};7;{YELLOW}", "  ")

    def _refused(self, ruling: Ruling) -> None:
        refusal = ruling.refusal
        assert refusal is not None
        said = texts(ruling.pack.folder, self.out.lang)
        print_wrapped(self.out, said.say("play.refused", reason=refusal.reason), RED)
        title = (
            rule_texts(ruling.pack.folder, self.out.lang).get(refusal.rule, {}).get("title") if refusal.rule else None
        )
        if title:
            self.out.print(f"{self.out.painted(refusal.rule, CYAN)} {title}", "", "  ")

    def whole(self, ruling: Ruling) -> None:
        """The ruling in full, with the titles of the rules that it cites."""
        lines = tuple(line for line in explanation(ruling, self.out.lang) if line.kind not in (QUESTION, OPTION))
        self._print(lines)
        titles = rule_texts(ruling.pack.folder, self.out.lang)
        cited = [rule for rule in dict.fromkeys(line.rule for line in lines) if titles.get(rule, {}).get("title")]
        for rule in cited:
            self.out.print(f"{self.out.painted(rule, CYAN)} {titles[rule]['title']}", DIM, "  ")

    def _print(self, lines: tuple[Line, ...]) -> None:
        ends = (*lines[1:], Line(LEFT, ""))
        lines = tuple(
            line for line, after in zip(lines, ends, strict=False) if line.kind != WHO or after.kind in BELOW_WHO
        )
        lines = tuple(line for at, line in enumerate(lines) if line.kind != LEFT or line not in lines[:at])
        column = rule_column(lines)
        for line in lines:
            self.out.explanation_line(line, column)

    # --- the log ----------------------------------------------------------------------------------------------

    def sentence(self, table: Table, command: Command) -> str:
        """A command in one sentence."""
        return Speaker(Ruling(table.pack, DONE, table.state, table.start, command), self.out.lang).command(command)

    def log(self, table: Table, most: int) -> None:
        """The last inputs, newest last; what was taken back is marked."""
        rows = table.rows[max(0, len(table.rows) - most) :]
        undone = [row.undoes for row in table.rows if row.undoes]
        said = self.out.said
        if not rows:
            self.out.print(said.say("play.nothing_yet"), DIM)
        for row in rows:
            taken_back = row.version in undone
            text = f"{row.version:4}  {self._row(table, row)}"
            self.out.print(f"{text} {said.say('play.log.undone')}" if taken_back else text, DIM if taken_back else "")

    def _row(self, table: Table, row: Row) -> str:
        said = self.out.said
        if row.undoes:
            return said.say("play.log.undo", row=row.undoes)
        if row.command is not None:
            sentence = self.sentence(table, row.command)
            return said.say("play.log.waits", what=sentence) if row.waits else sentence
        names = texts(table.pack.folder, self.out.lang)
        answers = [
            ", ".join(map(str, answer.value)) if isinstance(answer.value, tuple) else names.term(answer.value)
            for answer in row.answers
        ]
        entity = table.state.entities.get(row.by)
        dice = any(isinstance(answer.value, tuple) for answer in row.answers)
        who = names.named(entity.name) if entity is not None else said.say("who.referee")
        return said.say("play.log.dice" if dice else "play.log.answer", who=who, answers=tuple(answers))
