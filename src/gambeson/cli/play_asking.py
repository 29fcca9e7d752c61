"""What the rules ask, at the terminal: who decides and why, each option with what comes of it, and dice."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gambeson.cli.output import BOLD, CYAN, DIM, YELLOW, Output
from gambeson.games import texts
from gambeson.games.loading import rule_texts
from gambeson.language.texts import Texts
from gambeson.model.messages import message
from gambeson.model.questions import Question
from gambeson.model.values import REFEREE, State
from gambeson.table import Table
from gambeson.table.consequences import consequences
from gambeson.table.entry_words import Misunderstood, Vocabulary, folded

_DICE = re.compile(r"[0-9]{1,9}(?:[\s,;+]+[0-9]{1,9})*\Z")


MANY = 6
"""Questions that are shown at once at the most."""


def show_questions(out: Output, table: Table, most: int = MANY) -> None:
    """Print what is open now, `most` questions of it in full, and how many more there are."""
    assert table.waiting is not None
    questions = table.waiting.paused.questions
    for at, question in enumerate(questions[:most]):
        _show(out, table, question, f"{at + 1}/{len(questions)} " if len(questions) > 1 else "")
    if len(questions) > most:
        said = texts(table.pack.folder, out.lang)
        names = tuple(dict.fromkeys(name_of(table.state, each.decider, said) for each in questions[most:]))
        out.say("play.ask.more", DIM, names=names[:20], more=max(0, len(names) - 20))


def _show(out: Output, table: Table, question: Question, lead: str) -> None:
    said = texts(table.pack.folder, out.lang)
    out.print(lead + said.say(question.text), f"{BOLD};{YELLOW}")
    decider = name_of(table.state, question.decider, said)
    why = said.say(question.why) if question.why is not None else None
    out.print(said.say("play.ask.decides", who=decider, why=why), DIM, "  ")
    title = rule_texts(table.pack.folder, out.lang).get(question.rule, {}).get("title")
    if title:
        out.print(f"{out.painted(question.rule, CYAN)} {title}", "", "  ")
    if question.kind == "roll":
        dice = tuple(message("dice.group", count=group.count, sides=group.sides) for group in question.dice)
        rollers = [name_of(table.state, group.roller, said) for group in question.dice]
        out.print(said.say("play.ask.dice", dice=dice, rollers=tuple(dict.fromkeys(rollers))), YELLOW, "  ")
        return
    comes = consequences(table, question, out.lang)
    for at, option in enumerate(question.options):
        out.print(f"{out.painted(str(at + 1), BOLD)}  {said.say(option.label)}", "", "  ")
        if len(set(comes)) > 1:
            changed = comes[at] if comes[at] != said.say("explain.stays") else None
            out.print(said.say("play.ask.comes", what=changed or None), DIM, "     ")


def name_of(state: State, id: str, said: Texts) -> str:
    """The name of an entity, or of the referee."""
    entity = state.entities.get(id)
    if entity is not None:
        return said.named(entity.name)
    return said.say(message("who.referee")) if id == REFEREE else id


# Answers


def read_answer(table: Table, text: str) -> tuple[Question, str | tuple[int, ...]] | None:
    """The open question that a line answers, and the answer; None where it answers none.

    A number or the beginning of an option answers the first one; `NAME ANSWER` the one that NAME decides or is about.
    """
    assert table.waiting is not None
    questions = table.waiting.paused.questions
    for question in questions[:1]:
        answer = _answer(table, question, text)
        if answer is not None:
            return question, answer
    who, _, rest = text.partition(" ")
    if not rest.strip():
        return None
    for question in _about(table, questions, who):
        answer = _answer(table, question, rest.strip())
        if answer is not None:
            return question, answer
    return None


def _about(table: Table, questions: Iterable[Question], who: str) -> list[Question]:
    try:
        id = Vocabulary(table.pack, table.state).entity(who)
    except Misunderstood:
        return []
    if id is None:
        return []
    return [question for question in questions if id == question.decider or id in question.key.split(":")]


def _answer(table: Table, question: Question, text: str) -> str | tuple[int, ...] | None:
    if question.kind == "roll":
        return tuple(int(face) for face in re.findall("[0-9]+", text)) if _DICE.match(text) else None
    ids = [option.id for option in question.options]
    if text.isdecimal() and len(text) < 6 and 1 <= int(text) <= len(ids):
        return ids[int(text) - 1]
    found = Vocabulary(table.pack, table.state).meant(text, ids)
    return found if found is not None else _by_label(table, question, text)


def _by_label(table: Table, question: Question, text: str) -> str | None:
    """The only option whose words begin so, in any language."""
    wanted = folded(text)
    found = [
        option.id
        for option in question.options
        if any(folded(texts(table.pack.folder, lang).say(option.label)).startswith(wanted) for lang in ("en", "ru"))
    ]
    return found[0] if len(found) == 1 and len(wanted) > 1 else None


def prompt_for(out: Output, table: Table) -> str:
    """What stands before the line while something is open."""
    assert table.waiting is not None
    question = table.waiting.paused.questions[0]
    if question.kind == "roll":
        dice = tuple(message("dice.group", count=group.count, sides=group.sides) for group in question.dice)
        return out.said.say("play.prompt.roll", dice=dice)
    return out.said.say("play.prompt.choice", count=len(question.options))
