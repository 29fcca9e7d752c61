"""Working a command out with the answers and dice that people give, and judging those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from gambeson.engine.adjudication import fits
from gambeson.engine.step import step
from gambeson.language.fields import shown
from gambeson.language.pack import Pack
from gambeson.model.commands import Answer, Command
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import Done, Outcome, Paused, Refusal, Rejected
from gambeson.model.questions import Question
from gambeson.model.values import REFEREE, State
from gambeson.table.rulings import DONE, PAUSED, REJECTED, Ruling

Dice: TypeAlias = Callable[[Question], tuple[int, ...] | None]
"""Throws the dice of a question, or leaves them to people (None)."""


class Given:
    """What somebody gives along with a command: answers and dice, used up in the order of asking."""

    def __init__(self, by: str, answers: list[str], rolls: list[int], dice: Dice | None) -> None:
        self.by = by
        self.answers = answers
        self.rolls = rolls
        self.dice = dice

    def next(self, pack: Pack, state: State, question: Question) -> Answer | Refusal | None:
        """The answer to a question, why what was given is none, or None where nothing was given."""
        if question.kind == "roll":
            if self.rolls:
                count = sum(group.count for group in question.dice)
                faces = tuple(self.rolls[:count])
                del self.rolls[:count]
                return checked(pack, state, question, faces, self.by)
            thrown = self.dice(question) if self.dice is not None else None
            return None if thrown is None else Answer(question.key, thrown, question.decider)
        return checked(pack, state, question, self.answers.pop(0), self.by) if self.answers else None

    def left_over(self) -> Refusal | None:
        """The refusal of answers that nothing asked for."""
        if not self.answers and not self.rolls:
            return None
        left = (*self.answers, *map(str, self.rolls))
        return Refusal("", message("refusal.left_over", answers=left), "answers")


def work_out(
    pack: Pack, state: State, command: Command, answered: tuple[Answer, ...], given: Given
) -> tuple[Ruling, tuple[Answer, ...]]:
    """Run a command, filling in answers and dice as they are asked; says which answers were used."""
    while True:
        outcome = step(pack, state, command, answered)
        if not isinstance(outcome, Paused):
            break
        before = answered
        for question in outcome.questions:
            answer = given.next(pack, state, question)
            if isinstance(answer, Refusal):
                return ruled(pack, state, command, Rejected(state, answer)), before
            if answer is None:
                break
            answered = (*answered, answer)
        if answered is before:
            break
    left = given.left_over()
    if left is not None and not isinstance(outcome, Rejected):
        return ruled(pack, state, command, Rejected(state, left)), answered
    return ruled(pack, state, command, outcome), answered


def checked(pack: Pack, state: State, question: Question, value: Any, by: str) -> Answer | Refusal:
    """An answer to a question, or why it is none."""
    if by not in (question.decider, REFEREE):
        rule = pack.open_rules.get("wrong_person", question.rule)
        person = Refusal(rule, message("refusal.answer.person", decider=named(state, question.decider)), "by")
        answer = checked(pack, state, question, value, REFEREE)
        return pack.first([person, answer]) if isinstance(answer, Refusal) else person
    if question.kind == "roll":
        if not isinstance(value, tuple) or not fits(question, value):
            dice = tuple(message("dice.group", count=group.count, sides=group.sides) for group in question.dice)
            return Refusal(question.rule, message("refusal.answer.dice", dice=dice, got=shown(value)), "rolls")
        return Answer(question.key, value, by)
    if not any(option.id == value for option in question.options):
        allowed = tuple(option.id for option in question.options)
        return Refusal(question.rule, message("refusal.answer.option", got=shown(value), allowed=allowed), "answer")
    return Answer(question.key, str(value), by)


def poured(
    pack: Pack, state: State, command: Command, answered: tuple[Answer, ...], question: Question, faces: Any, by: str
) -> tuple[Answer | Refusal, ...]:
    """Dice for a roll; more of them than it needs go on to the rolls that are asked next."""
    needed = sum(group.count for group in question.dice)
    if not isinstance(faces, tuple) or len(faces) <= needed:
        return (checked(pack, state, question, faces, by),)
    first = checked(pack, state, question, faces[:needed], by)
    rest = faces[needed:]
    given: tuple[Answer | Refusal, ...] = (first,)
    while rest and not isinstance(first, Refusal):
        so_far = (*answered, *(answer for answer in given if isinstance(answer, Answer)))
        outcome = step(pack, state, command, so_far)
        following = outcome.questions[0] if isinstance(outcome, Paused) else None
        if following is None or following.kind != "roll":
            return (checked(pack, state, question, faces, by),)
        needed = sum(group.count for group in following.dice)
        first = checked(pack, state, following, rest[:needed], by)
        rest = rest[needed:]
        given = (*given, first)
    return given


def blocked(pack: Pack, state: State, question: Question) -> Refusal:
    """Why nothing else may be done while this question is open."""
    kind = question.key.partition(":")[0]
    rule = pack.open_rules.get(kind, question.rule)
    task = Message(question.text.id.replace("question.", "task.", 1), question.text.params)
    return Refusal(rule, message("refusal.open", decider=named(state, question.decider), task=task))


def named(state: State, id: str) -> str | Message:
    """The name of who is asked."""
    entity = state.entities.get(id)
    return entity.name if entity is not None else message("who.referee")


def ruled(pack: Pack, state: State, command: Command, outcome: Outcome) -> Ruling:
    """An outcome as people and programs are given it."""
    match outcome:
        case Done(after, events, trace, target):
            return Ruling(pack, DONE, state, after, command, events, trace, target=target)
        case Paused(questions, trace):
            return Ruling(pack, PAUSED, state, state, command, trace=trace, questions=questions)
        case Rejected(_, refusal):
            return Ruling(pack, REJECTED, state, state, command, refusal=refusal)
