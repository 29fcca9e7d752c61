"""What would come of each option of an open question, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.games import texts
from gambeson.model.questions import Question
from gambeson.table.explaining import LEFT, QUESTION, SHOUT, explanation
from gambeson.table.rulings import Ruling

if TYPE_CHECKING:
    from gambeson.table.table import Table


def outcomes(table: Table, question: Question) -> tuple[Ruling, ...]:
    """What would come of each option, by running the waiting command with it; nothing is committed."""
    return tuple(table.consequence(question, option.id) for option in question.options)


def consequences(table: Table, question: Question, lang: str) -> tuple[str, ...]:
    """What would come of each option, in words: only what differs between them."""
    return told(outcomes(table, question), lang)


def told(rulings: tuple[Ruling, ...], lang: str) -> tuple[str, ...]:
    """Outcomes in words, each without what all of them share."""
    lines = [_outcome(ruling, lang) for ruling in rulings]
    if not lines:
        return ()
    common = [line for line in lines[0] if all(line in other for other in lines)]
    stays = texts(rulings[0].pack.folder, lang).say("explain.stays")
    return tuple("; ".join(line for line in each if line not in common) or stays for each in lines)


def _outcome(ruling: Ruling, lang: str) -> tuple[str, ...]:
    """What is left, shouted, refused or asked next, line by line."""
    said = texts(ruling.pack.folder, lang)
    if ruling.refusal is not None:
        return (said.say(ruling.refusal.reason),)
    wanted = (LEFT, SHOUT, QUESTION)
    unchanged = said.say("explain.unchanged")
    return tuple(line.text for line in explanation(ruling, lang) if line.kind in wanted and line.text != unchanged)
