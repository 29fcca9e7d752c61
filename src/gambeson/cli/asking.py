"""Asking at the terminal what the rules ask, until nothing is open."""

from __future__ import annotations

import re
import sys

from gambeson.cli.output import BOLD, RED, Output
from gambeson.games import texts
from gambeson.model.questions import Question
from gambeson.table import Ruling, Table
from gambeson.table.rulings import PAUSED, REJECTED


def can_ask(out: Output) -> bool:
    """Whether somebody sits at a terminal who can be asked."""
    return out.terminal and sys.stdin.isatty()


def answered(out: Output, table: Table, ruling: Ruling) -> Ruling:
    """The ruling once everything is answered, or as it was when input ended."""
    while ruling.status == PAUSED:
        question = ruling.questions[0]
        try:
            entered = input(out.painted(_prompt(out, question), BOLD)).strip()
        except EOFError:
            out.print()
            return ruling
        given = _give(table, question, entered)
        if given.status == REJECTED and given.refusal is not None:
            said = texts(table.pack.folder, out.lang)
            out.print(said.say(given.refusal.reason), RED)
            continue
        ruling = given
        out.print()
        out.explain(ruling)
    return ruling


def _prompt(out: Output, question: Question) -> str:
    if question.kind == "roll":
        dice = sum(group.count for group in question.dice)
        return out.said.say("cli.ask.roll", dice=dice) + " "
    return out.said.say("cli.ask.choice", options=tuple(option.id for option in question.options)) + " "


def _give(table: Table, question: Question, entered: str) -> Ruling:
    if question.kind == "roll":
        faces = tuple(int(text) for text in re.findall(r"[0-9]{1,9}", entered))
        return table.roll(faces, decision=question.key)
    return table.answer(_option(question, entered), decision=question.key)


def _option(question: Question, entered: str) -> str:
    """The option that was meant: its id, its number in the list, or the only one that begins so."""
    ids = [option.id for option in question.options]
    if entered in ids:
        return entered
    if entered.isdecimal() and len(entered) < 6 and 1 <= int(entered) <= len(ids):
        return ids[int(entered) - 1]
    begun = [id for id in ids if entered and id.casefold().startswith(entered.casefold())]
    return begun[0] if len(begun) == 1 else entered
